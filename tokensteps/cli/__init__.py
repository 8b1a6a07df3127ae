"""TokenSteps on the command line: ``python -m tokensteps --help`` begins.

Data goes to standard output, messages to standard error. The engine does the work; the drawing is imported
for a handout only, and Streamlit to open the app.
"""

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the signal's number, as in a shell."""
NOBODY_READS = 141
"""The exit code after the reader of a pipe has left, as `head` does: a shell's for other programs, ended by a
signal then."""
