"""Every limit of the app, with its reason: what a visitor may bring, and what the server may spend on it.

A page at a limit names the limit and the remedy. The engine knows none of these; it receives the ones to
enforce as arguments. The module holds numbers only, so that tests, pages and documentation read the same
ones.

The times were measured on one of two cores at 2.6 GHz.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

# --- Text ---------------------------------------------------------------------------------------------------

PASTE_LIMIT: Final = 200_000
"""Characters of a pasted text: a browser's text box stays quick with this many."""
PLAYGROUND_LIMIT: Final = 1_000_000
"""Characters of the playground's text: this much prose takes a second and 90 MB of the server's memory,
accents and joined emoji 10 to 25 seconds and 500 MB."""
PIPELINE_LIMIT: Final = 2_000
"""Characters of each text on the page “Pipeline”: a page can draw this much, stage by stage."""
RENEW_LIMIT: Final = 20_000
"""Characters of the text under an old and a new tokenizer: both rows are drawn."""
SENTENCE_LIMIT: Final = 300
"""Characters of the sentence on the first page: it is drawn in three ways at every keystroke."""
SCENE_LINES: Final = 40
"""Texts compared in the scene on languages, one a line: a row each for up to four tokenizers."""
SCENE_CODE: Final = 2_000
"""Characters of code in a scene: they are drawn once for each tokenizer."""
ENCODE_LIMIT: Final = 2_000
"""Characters in the box of the tab “Encode”: every word of it can be stepped through."""
WHY_LIMIT: Final = 120
"""Characters of a word to explain: WordPiece looks up shorter ones only."""
WHY_SPLIT_LIMIT: Final = 4 * WHY_LIMIT
"""Characters of another split of the word, as typed: the word's own, with a separator between any two."""
WHY_WORD: Final = 250
"""Symbols of a word to step through, bytes or characters: each step draws them all."""
WHY_LISTED: Final = 300
"""Words of a text to choose from: the first ones."""
CUT_LIMIT: Final = 100_000
"""Characters of a text to cut in all ways: its beginning. Twenty thousand words take a second or two."""
PARALLEL_CHARACTERS: Final = 100_000
"""Characters of a table of parallel lines: some hundred lines in ten languages."""
FIND_LIMIT: Final = 100
"""Characters of a search in a table or in the glossary: tokens and terms are shorter."""
PASSAGE_LIMIT: Final = 200
"""Characters of the answer to find in the windows of a text: two sentences."""

# --- Links --------------------------------------------------------------------------------------------------

LINK_LIMIT: Final = 6_000
"""Characters of a compressed text in a link: mail programs, chats and proxies let this many through."""
LINK_TEXT_LIMIT: Final = PASTE_LIMIT * 4
"""Bytes of a link's text after unpacking: a link can hold a bomb, and a character has four bytes at most."""
PLAIN_LIMIT: Final = 1_000
"""Characters of a text in an address without compression, percent signs and all: a longer one is
compressed."""
PACK_LIMIT: Final = PASTE_LIMIT
"""Characters of a text to try to fit into a link: the attempt takes 10 ms, at every pause in typing."""
SPEC_LIMIT: Final = 16_000
"""Characters of a tokenizer's name in a link: it may include a text of the visitor's own."""
SEALED_LIMIT: Final = 60_000
"""Characters of a challenge's link or code: the app's longest ones, with room."""
LEAST_SECRET: Final = 32
"""Characters of the server's secret, at least: 128 bits as hexadecimal digits. A single seal would be enough
to guess a shorter one."""

# --- Uploads ------------------------------------------------------------------------------------------------

UPLOAD_LIMIT: Final = 10_000_000
"""Bytes of an uploaded corpus: reading it takes some ten seconds, and the page shows its progress."""
TOKENIZER_LIMIT: Final = 40_000_000
"""Bytes of all files of one tokenizer: Gemma's tokenizer.json, with 262,000 tokens, has 33 million."""
FILES_LIMIT: Final = 20
"""Files of one tokenizer: people upload whole folders, and the names of all of them fit a link."""
UPLOADS_EACH: Final = 2 * TOKENIZER_LIMIT + UPLOAD_LIMIT
"""Bytes of one session's files: two tokenizers and a corpus. Streamlit keeps them in memory while the page is
open."""
UPLOADS_ROOM: Final = 400_000_000
"""Bytes of the files of all sessions of a server: those of a class, or ten of the largest. When the server is
full, the session with the most bytes loses a file to a session with fewer."""
FILES_EACH: Final = 200
"""Files of one session: two folders full. Each takes half a kilobyte, even an empty one."""
LARGEST_UPLOAD: Final = TOKENIZER_LIMIT // 1_000_000
"""Megabytes of any upload: the same as `maxUploadSize` in .streamlit/config.toml."""
UPLOAD_PATIENCE: Final = 20.0
"""Seconds between two pieces of an upload: the same as `client_body_timeout` in deploy/tokensteps.conf."""

# --- Messages over the WebSocket ----------------------------------------------------------------------------

MESSAGE_LIMIT: Final = 12_000_000
"""Bytes of one message: the largest corpus for an upload, with room. Pasted instead, it is refused as too
long."""
MESSAGE_FIELDS: Final = 10_000
"""Parts of one message: pages send up to a few hundred. Counting the maximum takes 10 ms; parsing six million
takes 2.4 seconds and 400 MB."""
BESIDES_LIMIT: Final = 500_000
"""Bytes of a message besides the widgets' values: the address, twice, with the longest code of a challenge,
and the hashes of the browser's cached messages."""
WIDGETS_LIMIT: Final = 1_000
"""Widgets in a message: the fullest page has some sixty, and a chat of forty messages two hundred more."""
STATES_LIMIT: Final = 8_000_000
"""Bytes of the values of a page's widgets: the longest text of the playground, each character escaped, and
two pasted texts. A session keeps them, some four times over. (Streamlit's `server.maxWidgetStateSize`, of
whole megabytes, is for messages too, which are larger.)"""
JSON_BESIDES: Final = 100_000
"""Characters of a component's JSON outside of strings: components send a few numbers and names. This many
brackets take 30 ms to read; four million take 3.3 seconds, while nobody else is served."""
JSON_STRINGS: Final = 1_000
"""Strings in a component's long JSON: the editor's has two."""
UPLOAD_ADDRESSES: Final = 1_000
"""Upload addresses per request of a browser: one for each file of a folder. This many take 15 ms; half a
million took 5.5 seconds."""
NAME_BYTES: Final = 1_000
"""Bytes of the name of a file or a widget: systems allow 255 for a file, and the app's own widgets have less
than 200."""
SESSION_MESSAGE_BYTES: Final = 200_000
"""Bytes of the message with the browser's session: it has the pages and the theme, some ten thousand."""


class Rate(NamedTuple):
    """How often something may happen: a number at once, and a number per second after that. The surplus
    waits."""

    burst: float
    pace: float


CONNECTION_RATES: Final[Mapping[str, Rate]] = {
    # Bytes. A pasted text of 800 KB goes along with each of two clicks a second, and a page with all its
    # texts comes at once.
    "bytes": Rate(2 * MESSAGE_LIMIT, 2_000_000),
    # During a training, a page asks 2.5 times a second by itself; a learner clicks up to six times a second,
    # for some seconds. Each takes the server 20 to 60 ms.
    "rerun_script": Rate(20, 4),
    "stop_script": Rate(20, 2),
    # One in some minutes, if the page is in a frame and its host asks for them.
    "app_heartbeat": Rate(20, 1),
    # A box sends one request for all files of a drop; files dropped one by one take a request each.
    "file_urls_request": Rate(40, 4),
    # Files to download are made in threads of the server, the largest in half a second. A page offers eight.
    "backend_operation_request": Rate(12, 0.5),
}
"""The messages of one page: several times those of a fast clicker, with the reason beside each."""
HALL: Final = 300
"""Students behind one address: those in a lecture hall."""
ADDRESS_RATES: Final[Mapping[str, Rate]] = {
    # They all come in within ten seconds, and the server greets thirty a second; deploy/tokensteps.conf has
    # the same rate for sessions.
    "openings": Rate(2 * HALL, 30),
    # At once, all 300 together may send half the sum of their own bursts. Over time, they may send as much as
    # 30 pages: a server has time for no more, and visitors from other addresses need some of it.
    **{name: Rate(HALL * rate.burst / 2, HALL * rate.pace / 10) for name, rate in CONNECTION_RATES.items()},
}
"""The messages of all pages at one address: enough for a lecture hall, and too few to take all of a server's
time."""
BUSY_SHARE: Final = 0.6
"""Share of a processor from which the server counts as busy: one thread of Python runs at a time, and clicks
begin to wait."""
BUSY_RATE: Final = Rate(4, 0.7)
"""Page runs per connection while the server is busy: a learner's few clicks at once, and one each second and
a half after that; a connection with more of them waits for those with fewer."""
PART_COST: Final = 0.25
"""Share of a whole run for a run of a part of the page, such as a step: it takes a quarter of the time."""
BUSY_WAIT: Final = 5.0
"""Longest wait of a message, in seconds, while the server is busy: even a visitor with too many requests sees
the page go on."""
OPEN_FILES: Final = 16_384
"""Open files and connections of the server: each page takes four, and most systems give a program 1,024 by
default."""
SERVER_MEMORY: Final = 700_000_000
"""Bytes of memory of a server with its processes after a class: `docs/deployment.md` has the measurements."""
CONNECTIONS_EACH: Final = 2 * HALL
"""Connections from one address: each student of a lecture hall has two pages open."""
CONNECTIONS_OPEN: Final = 8 * HALL
"""Connections from one address, of all kinds: a browser opens six for a page, and two permanent ones."""
HEAD_PATIENCE: Final = 10.0
"""Seconds for the head of a request: the longest address has 64 KB, and a slow phone sends it in two
seconds."""
BODY_PACE: Final = 1_000
"""Bytes of a body per second, at least, after the first `UPLOAD_PATIENCE`: half the speed of the slowest
modem."""
READER_PATIENCE: Final = 30.0
"""Seconds for a reader to take some of its waiting data: a phone in a tunnel comes back on the same
connection within that time."""
READER_TAKES: Final = 4_000
"""Bytes to take in that time: fewer are no progress, since a byte now and then would hold an answer for
ever."""
RECONNECT_SECONDS: Final = 60.0
"""Time for a page to find its session again after a lost connection: a change of networks takes some ten
seconds. Then the session ends and frees everything; texts of up to four megabytes stay in the store, and the
address finds them."""

COLLECT_SECONDS: Final = 20.0
"""Time from the end of a session until its garbage is collected, together with that of all sessions ended
meanwhile: the collection holds everybody up for a tenth of a second."""

# --- What a run is made of ----------------------------------------------------------------------------------

SYMBOLS_LIMIT: Final = 10**18
"""Symbols of a corpus with each word as often as it occurs: tables hold numbers of 64 bits, up to nine times
as large."""
VOCABULARY_LIMIT: Final = 20_000
"""Vocabulary size of a training on a page: a trace holds every step. With ten megabytes of program code this
takes BPE 2 seconds and 4 MB, WordPiece 7 seconds and 2 MB; the costliest text within the limits costs BPE 20
MB."""
SEED_LIMIT: Final = 50_000
"""Pieces at the start of pruning: with a megabyte of program code this takes SentencePiece's method 17
seconds, the course's 80, and 4 and 20 MB."""
WORD_LIMIT: Final = 2_000
"""Symbols of a word in training, a long paragraph's: each step writes whole words anew. With a word of
100,000, BPE takes a minute for the first steps and WordPiece's trace 200 MB, and Unigram prunes two or three
pieces a second."""
CORPUS_LIMIT: Final = 2_500_000
"""Symbols of a corpus's different words, the input of training: ten megabytes of program code have 2,200,000,
of prose less. A million random letters take BPE 9 seconds and 11 MB. Unigram takes minutes with many, and can
be stopped."""
COUNT_LIMIT: Final = 1_000_000
"""Upper limit of a pair's minimum count: no pair in an uploaded text is more frequent."""
LONGEST_LIMIT: Final = 100
"""Upper limit of a token's maximum length, in characters: Unigram's time for a text grows with it."""
LONGEST_WORD_LIMIT: Final = 1_000
"""Characters of the longest word for WordPiece to look up: the time grows with its square."""
PATTERN_LIMIT: Final = 1_000
"""Characters of a regular expression: the longest in use, GPT-4o's, has 280."""
SPECIAL_LIMIT: Final = 500
"""Characters of all special tokens: a template needs five of them."""
PATTERN_SECONDS: Final = 1.5
"""Time for a regular expression of a learner's own: a page of text is done in one second."""
PATTERN_PACE: Final = 1.0
"""Extra seconds per million bytes of the corpus: four times the time of the usual patterns."""


def patience(size: int) -> float:
    """Time limit in seconds for a regular expression of a learner's own on a corpus of `size` bytes.

    >>> patience(0), patience(10_000_000)
    (1.5, 11.5)
    """
    return PATTERN_SECONDS + round(PATTERN_PACE * size / 1e6, 1)


COMMAND_SECONDS: Final = 60.0
"""Time for a regular expression on the command line: nobody else waits there, but Ctrl-C does."""

# --- Tokenizers from elsewhere ------------------------------------------------------------------------------

TOKEN_LIMIT: Final = 300_000
"""Tokens of one tokenizer: this many take the library 0.8 seconds, with the GIL held, and 150 MB."""
ADDED_LIMIT: Final = 100_000
"""Added tokens: this many take the library half a second."""
ID_LIMIT: Final = 2 * TOKEN_LIMIT
"""Upper bound of an id: some vocabularies have holes, but a list by id must stay small."""
EXPANSION_LIMIT: Final = 100
"""Growth of a text in a pipeline, as a factor: without a limit a small file could use up the memory."""
TEMPLATE_LIMIT: Final = 1_000
"""Special tokens around a text: tokenizers in use have two."""
STAGES_LIMIT: Final = 1_000
"""JSON objects in the pipeline: tokenizers in use have 30 at most."""
ENCODING_SECONDS: Final = 10.0
"""Processor time for one text: a million characters take a second or two."""
WHY_SECONDS: Final = 30.0
"""Processor time for the steps of a word: reading the model's half a million merges for the first step takes
five."""
ENCODING_PACE: Final = 2e-6
"""Expected seconds to encode a character: a million take two."""
LONG_TOKEN: Final = 100
"""Characters up to which a token's length doesn't matter: most have ten, and those of blanks or lines 128."""
LONG_TOKENS_WORK: Final = 25_000_000
"""Characters of all longer tokens, each times its length, since the work grows with the square: two seconds.
Claude's token of 1,024 spaces is a 25th of it."""
ADDED_CHARACTERS: Final = 500_000
"""Characters of all added tokens together, the input of the library's automaton: tokenizers in use have
70,000 at most."""
WORD_CHARACTERS: Final = 1_000
"""The highest setting in a file for WordPiece's longest word, 100 for BERT: the work grows with the
square."""
READING_FILES_SECONDS: Final = 30.0
"""Processor time to read a tokenizer's files: the largest in use take some seconds."""
READING_FILES_PACE: Final = 2e-7
"""Expected seconds to read a byte of a tokenizer's files: 40 MB take 8 seconds."""
READERS: Final = 2
"""Processes for tokenizers from elsewhere: one for long work, so that others needn't wait."""
READER_ROOM: Final = 2 * TOKENIZER_LIMIT
"""Bytes of files per process, with their tokenizers loaded: two of the largest, or dozens."""
READER_IDLE_SECONDS: Final = 60.0
"""Time without requests until such a process ends: a tokenizer takes up to 150 MB, and loads again in a
second."""
SLOW_REMEMBERED: Final = 50
"""Texts per tokenizer remembered as too slow, and not tried again: a page asks at every click."""
LOADING_SECONDS: Final = 180.0
"""Time that a page waits for a visitor's tokenizer: a download may take it, and so may reading on a busy
server."""
REPOSITORY_LIMIT: Final = 96
"""Characters of a repository's name: the hub's own limit."""
REACH_SECONDS: Final = 3.0
"""Time limit for the hub's first answer: a server without internet access should say so soon."""
ANSWER_SECONDS: Final = 10.0
"""Time limit for the hub's later answers: somebody waits."""

# --- Checking a vocabulary ----------------------------------------------------------------------------------

HEALTH_HERE: Final = 400
"""Tokens of a vocabulary for a check in the server's own process: it takes some hundredths of a second."""
HEALTH_SECONDS: Final = 60.0
"""Time for a check: GPT-2's 50,000 tokens take some seconds, 300,000 of another half a minute."""
HEALTH_PACE: Final = 1e-4
"""Expected seconds to check a token: GPT-2 takes half as long."""

# --- Chats --------------------------------------------------------------------------------------------------

CHAT_MESSAGES: Final = 40
"""Messages of a chat: each is a row of widgets, and its own text takes one more rendering of the template."""
CHAT_CHARACTERS: Final = 50_000
"""Characters of all messages of a chat: a long document in one of them, and every token is drawn."""
CHAT_TEMPLATE_LIMIT: Final = 100_000
"""Characters of a chat template: the longest in use has 30,000."""
CHAT_TEMPLATES: Final = 20
"""Templates of one tokenizer: tokenizers with several have three."""
CHAT_FILE_LIMIT: Final = 4_000_000
"""Bytes of a file beside a tokenizer that may hold its chat template: Gemma's has a million, with 6,000 added
tokens."""
CHAT_OUTPUT_LIMIT: Final = 200_000
"""Characters of a rendered chat: four times the messages, and each of them is encoded."""
CHAT_SECONDS: Final = 1.0
"""Processor time to render a chat: templates in use take some milliseconds, and a page waits."""
CHAT_GRACE: Final = 0.5
"""Seconds after that until the process is ended: a single huge multiplication can't be interrupted, and takes
the process along."""
CHAT_EXPECTED: Final = 0.05
"""Expected seconds to render a chat: it is short work, and goes first."""
CHAT_MEMORY: Final = 200_000_000
"""Bytes of memory for a template in its process: those in use take a few thousand."""
CHATS_ROOM: Final = 8_000_000
"""Bytes of cached chats: a page asks again at every click."""
CHAT_TEMPLATES_CACHED: Final = 100
"""Tokenizers with cached chat templates: of some 10 KB each."""

# --- Typing into a text box ---------------------------------------------------------------------------------

TYPING_ROOM: Final = 32_000_000
"""Bytes of the texts being typed into all playgrounds: eight of the longest, or thousands of usual ones. The
browser sends a dropped one again."""
TYPED_BODY: Final = STATES_LIMIT
"""Bytes of one message from a text box: the longest text, each character escaped. Later messages have the
change alone."""
TYPED_RATE: Final = Rate(60, 15)
"""Messages of one text box: a typist presses ten keys a second, and a held key repeats thirty times; its
messages wait for one another."""
TYPED_BYTES: Final = Rate(3 * TYPED_BODY, 2_000_000)
"""Bytes of those messages: some long texts pasted at once."""
TYPED_AT_ONCE: Final = 2
"""Texts from text boxes encoded at the same time: a long one shouldn't keep the short ones waiting, and
Python runs one thread at a time."""
TYPED_WAITING: Final = 40
"""Texts in the queue behind them: a usual one takes a hundredth of a second. A text beyond that gets its
tokens with the rest of the page."""

# --- Answers and challenges ---------------------------------------------------------------------------------

ANSWER_LIMIT: Final = 4_000
"""Characters of an answer: the longest right one, a corpus, has a quarter of that."""
CORPUS_LINES: Final = 50
"""Lines of a corpus as an answer: training on it follows at once."""
CORPUS_WORD: Final = 40
"""Characters of one of its words: this many fit in a line of the page."""
CORPUS_COUNT: Final = 1_000_000
"""How often one of its words may occur: seven digits can still be read."""
EXERCISE_LIMIT: Final = 999_999_999
"""The highest number of an exercise: nine digits can be read out."""
TITLE_LIMIT: Final = 80
"""Characters of a challenge's title: it is in the link."""
NAME_LIMIT: Final = 80
"""Characters of a student's name: it is in the code."""
CHALLENGE_LIMIT: Final = 100
"""Questions of one challenge: an hour's work."""
CODES_LIMIT: Final = 500
"""Codes checked at once: a lecture hall's."""

CLASS_QUERY: Final = SEALED_LIMIT
"""Characters of the lecturer's address: a challenge's is the longest."""
# --- Classes ------------------------------------------------------------------------------------------------

CLASS_SECONDS: Final = 24 * 60 * 60.0
"""Lifetime of a class with all its answers: nobody looks for yesterday's lecture."""
CLASSES: Final = 100
"""Classes on all servers of one app: each holds `CLASS_BYTES` on disk at most, and active ones some of that
in memory."""
CLASS_IDLE: Final = 2 * 60 * 60.0
"""Time without any message until a class may make room for a new one: a break is shorter."""
CLASS_BYTES: Final = 8_000_000
"""Bytes of one class's messages: 300 students with 300 answers, clicks and moves each, of some 80 bytes, at
worst."""
CLASS_RESERVE: Final = 1_000_000
"""Bytes of them reserved for the lecturer: a whole day's steps find room."""
CLASS_DEVICES: Final = 1_200
"""Devices in one class: a lecture hall and its overflow rooms, with a second device for some. Each is known
by a number."""
DEVICE_ENTRIES: Final = 400
"""Recorded messages of one device: twenty questions, each answered ten times, and as many clicks on “Lost
me”."""
DEVICE_SHARE: Final = 50
"""A device's messages take at most one part in so many of the room still free: 140 KB while a class is small,
20 KB of 300 busy students. A few devices with long messages never fill a class."""
ANSWER_CHANGES: Final = 20
"""Changes of a device's answer in one round: a more hesitant student has no answer."""
ROUNDS: Final = 200
"""Questions to one class: one in two minutes makes a day of it. Its summary is one page."""
CLASS_BODY: Final = 70_000
"""Bytes of one message to a class: the lecturer's page with the longest link, a challenge's, with room."""
CLASS_LINE: Final = CLASS_BODY + 2_000
"""Bytes of one entry of a class's log: other letters than ASCII take six or twelve bytes there, and every
listener is sent all of them."""
QUESTION_BYTES: Final = 24_000
"""Bytes of a recorded question: twelve choices and a long sentence in three languages have less than half as
many."""
STUDENT_BODY: Final = 4_000
"""Bytes of one message from a student's device: its seal and an answer."""
REPLY_LIMIT: Final = 400
"""Characters of an answer: the split of a long word, or a sentence."""
NUMBER_LIMIT: Final = 40
"""Characters of a number as an answer or in the key: twice the digits of a number in Python."""
NICKNAME_LIMIT: Final = 24
"""Characters of a nickname: this many fit in a column."""
QUESTION_LIMIT: Final = 1_000
"""Characters of a question in one language, and of a choice: more can't be read from a wall."""
CHOICES_LIMIT: Final = 40
"""Choices of one question, and right answers: a phone's screen shows a dozen, and ties may make many
right."""
CHOICE_TOKENS: Final = 40
"""Tokens of one choice: those of a long word."""
CHOICE_SHOWN: Final = 200
"""Characters of a choice in the table of grades: the table repeats it for each student with this choice."""
QUESTION_PARTS: Final = 100
"""Texts and tokens of one sentence: a question about a prune lists fourteen pieces with their
probabilities."""
WORD_SHOWN: Final = 40
"""Characters of a word to split on a phone: two lines of it."""
QUESTION_SECONDS: Final = 900
"""Seconds of a countdown, at most: a quarter of an hour is an exercise."""
LATE_SECONDS: Final = 2.0
"""Grace for answers after the end of a countdown: they were under way, and clocks differ."""
ASSIGNMENT_QUESTIONS: Final = 100
"""Questions of an exercise set or a challenge for a class: as many as a challenge may have."""
BARS: Final = 12
"""Bars of a distribution of free answers, the rest counted together: on a wall more would blur."""
DECK: Final = 60
"""Prepared questions for classes: a course has this many. The browser keeps them."""
PREPARED_AT: Final = LINK_LIMIT + 2_000
"""Characters of a prepared question's address: a link with a text of the lecturer's own, and settings."""
PREPARED_ID: Final = 20
"""Characters of a prepared question's id: random enough for a thousand."""
CHOICE_TYPED: Final = 200
"""Characters of a lecturer's own choice: two lines on a wall."""
MOST_TYPED_CHOICES: Final = 6
"""Choices of a lecturer's own question: a wall has room for this many bars."""
DECK_BYTES: Final = 200_000
"""Bytes of a file of prepared questions: some two hundred long ones. The browser keeps them, and its store
has 5 MB for all."""
FREE_BARS: Final = 40
"""Different free answers for the lecturer to pick from, the rest counted together: nobody reads more in a
lesson."""
JUDGED_AT_ONCE: Final = 100
"""Words graded by the engine at once: some hundredths of a second."""
WORD_PARTS: Final = 20
"""Tokens of a word to split: no student thinks of a word with more."""
LOST_PLACES: Final = 2_000
"""Places where students of one class may get lost: a whole day of steps has no more."""
CLASS_BEHIND: Final = 400
"""Missed log entries of a class to send one by one: after more of them a reader gets the present state, which
is as long."""
CLASS_BEHIND_BYTES: Final = 128_000
"""Bytes of them, unless it is the latest alone: with the longest addresses and questions, the present state
is the shorter way, too."""
STREAM_PIECE: Final = 16_000
"""Bytes of an event stream handed over at once: the rest is made when the reader has room for it."""
STREAM_TURN: Final = 0.005
"""Seconds of the event loop for one stream at a time: with more, a full class at its return would hold up
everybody."""
SUMMARY_PIECE: Final = 64_000
"""Bytes of a summary sent at once: the largest has some millions."""
SUMMARY_RATE: Final = Rate(10, 1)
"""Summaries of one class, of all kinds, for all holders of its key: a lecturer looks at one, and saves each
kind. Simultaneous requests share one."""
CELL_LIMIT: Final = 2_000
"""Characters of an address in a spreadsheet, repeated on each line of a question: longer ones are left out,
since half an address leads nowhere."""
CLASS_IDLE_SECONDS: Final = 120.0
"""Time that a process keeps a class without listeners in memory: everybody may be reconnecting."""
CLASS_POLL: Final = 0.05
"""Seconds between two looks for other servers' entries: nobody sees a delay of a twentieth of a second."""
PING_SECONDS: Final = 15.0
"""Seconds between two signs of life of a quiet event stream: proxies give up after a minute of silence."""
PRESENCE_SECONDS: Final = 1.0
"""Seconds between two counts of the people present: more counts would only flicker."""
PRESENCE_LOST: Final = 10.0
"""Silence until a server is taken for dead: its students are coming back elsewhere."""
TALLY_SECONDS: Final = 0.1
"""Seconds between two counts of the answers: 300 students answer within five seconds."""
STREAMS_EACH: Final = 8
"""Event streams of one device, or of one key: a lecturer's pages, on two devices. One more ends the
oldest."""
CLASS_RATES: Final[Mapping[str, Rate]] = {
    # A lecturer tries a few; a course opens one for each lecture. Within a day, one address can't use up all
    # classes.
    "open": Rate(8, 1 / 1200),
    # A hall joins within a minute, and forgetful phones join again.
    "join": Rate(2 * HALL, 10),
    # Unknown codes: a hall mistypes this often when it joins. With 47 million codes, a hundred of them in
    # use, a day of attempts at this rate finds one with a chance of less than one in a hundred.
    "wrong": Rate(100, 1 / 30),
    # Everything else: all answer at once, or follow again.
    "post": Rate(4 * HALL, 2 * HALL),
    # A server restarts, and everybody is back at once; pages are turned.
    "stream": Rate(4 * HALL, HALL),
}
"""Requests of one address to classes: it may be a lecture hall's, so a hall's worth at once. The surplus is
refused."""
DEVICE_RATE: Final = Rate(30, 2)
"""Messages of one device: a thumb is slower. A key has five times as many: a lecturer may hold down the arrow
key."""
KEY_SHARE: Final = 5
"""Messages of a key, as a multiple of a device's: a lecturer steps quickly, on two devices."""
QR_LIMIT: Final = 1_200
"""Characters of an address in a QR code: longer ones have modules too small for a phone at the back of a
hall."""
CREDENTIAL_LIMIT: Final = 300
"""Characters of a sealed key or device: the server's own have less than 150."""

# --- Tables, pages and files --------------------------------------------------------------------------------

WORDS_LISTED: Final = 2_000
"""Words or tokens in a box to choose from, or in a table: all rows are sent to the browser."""
MOST_ROWS: Final = 20_000
"""Rows of a step's table to show or to search on request: they take the server 0.3 seconds each time."""
STEPS_SENT: Final = 400
"""Drawn steps of one word's encoding: all are sent to the browser."""
ANSWERS_LISTED: Final = 500
"""A learner's latest answers in a list: each is a row of the page."""
HANDOUT_STEPS: Final = 400
"""Steps of a handout: every frame is drawn into it."""

# --- What the server keeps ----------------------------------------------------------------------------------

TRACES_ROOM: Final = 300_000_000
"""Bytes of finished runs, shared by all sessions: a server with 1 GB has room for them."""
LARGE_RUN: Final = 10_000_000
"""Bytes of a large finished run, kept no longer than the sessions that asked for it: a run on 200 KB of prose
takes five to nine million, and stays for the next visitor while there is room."""
TOKENIZERS_CACHED: Final = 8
"""Tokenizers from elsewhere: 150 MB each at the most, and many at 10 MB."""
TEXTS_ROOM: Final = 64_000_000
"""Bytes of texts too long for a link: six of the largest, or hundreds of pasted ones."""
CORPORA_ROOM: Final = 300_000_000
"""Bytes of uploaded corpora in memory: a megabyte for each student of a lecture hall, or thirty of the
largest."""
LARGEST_TEXT: Final = 4 * PLAYGROUND_LIMIT
"""Bytes of one of them: a character has four at most, and a larger text would push everybody else's out."""
FILES_ROOM: Final = 160_000_000
"""Bytes of tokenizers' files: a few of the largest, or many ordinary ones."""
COMPILED_ROOM: Final = 160_000_000
"""Bytes of compiled tokenizers: a dozen, each a third of its tokenizer.json."""
COMPILED_MERGES: Final = 10_000
"""Merges from which a tokenizer is stored compiled: a smaller one is read in a tenth of a second."""
HUB_ROOM: Final = 400_000_000
"""Bytes of public tokenizers on disk: ten of the largest, or a hundred ordinary ones."""
DOWNLOADS_ROOM: Final = 30_000_000
"""Bytes of files for download: handouts take up to a megabyte, a tokenizer.json five."""
FRAMES_ROOM: Final = 64_000_000
"""Bytes of drawn frames: those of a lecture hall at the same steps."""
REMEMBERED_ROOM: Final = 32_000_000
"""Bytes of pages' lists and texts: some kilobytes each, some megabytes for a large corpus."""
TOKENS_ROOM: Final = 8_000_000
"""Bytes of drawn tokens, for each of the three ways to draw them: 15,000 usual ones. A token of 400 control
characters takes 11 KB, so a cache of 50,000 entries could take 500 MB."""
CHIPS_ROOM: Final = 16_000_000
"""Bytes of the playground's chips: 15,000 usual ones, six pages of them."""
LATTICES_ROOM: Final = 16_000_000
"""Bytes of lattices and their drawings: thirty of the longest drawable words."""
EDGE_SIZE: Final = 1_000
"""Bytes of a lattice's edge with everything derived from it: its bar, its best path, its sentences."""
PACKED_ROOM: Final = 8_000_000
"""Bytes of texts compressed for a link: a dozen of the longest, hundreds of usual ones."""
PUT_ROOM: Final = 24_000_000
"""Bytes of texts known to be in the store: the largest upload, and dozens of usual texts."""
STAGES_ROOM: Final = 1_000_000
"""Bytes of descriptions of prerendered stages: a thousand addresses."""
EARLY_ROOM: Final = 8_000_000
"""Bytes of pages with a prerendered stage, compressed: a hundred of the largest."""
RENEWED_ROOM: Final = 200_000_000
"""Bytes of tokenizers in continued training, ten for each byte of the file: one of the largest, or ten usual
ones."""
STATIC_ROOM: Final = 16_000_000
"""Bytes of scripts, styles and faces, compressed: all of Streamlit's take half as many, those of our pages
two million."""
STATIC_FILE: Final = 8_000_000
"""Bytes of one of them to compress and keep: the largest, the script for charts, has 4.7 million."""
TRAININGS_AT_ONCE: Final = 2
"""Processes for training at the same time, of a hundred MB each: one for large texts, so that small ones
needn't wait."""
SESSIONS_REMEMBERED: Final = 1_000
"""Sessions, and addresses, with a record of their use: a forgotten one is served as if it were new."""
FAIR_SECONDS: Final = 300.0
"""Half-life of the recorded use of a session or an address: a heavy user waits behind others, and not for the
rest of the lecture."""
TRAININGS_WAITING: Final = 60
"""Runs in the queue: this many are trained in a minute."""
TRAINING_MEMORY: Final = 2_000_000_000
"""Bytes of address space for a training process: ten megabytes of program code take Unigram 825 MB, and only
a text without any repetition takes more."""
TRAINER_ROOM: Final = 60_000_000
"""Bytes of memory for a run up to which its training process takes the next one, too: a class's runs take
less, and the leftovers of a larger one, 160 MB after a long text for Unigram, go with its process."""
TRAINER_IDLE_SECONDS: Final = 60.0
"""Idle time until a process makes way for a new one after training or drawing: together the old ones kept 160
MB after ten minutes of attacks. A new one takes half a second of processor time."""
SLOWER: Final = 5
"""Clock time of a task on a busy server, as a multiple of its processor time: a process has a limit in
processor time, and this many times that by the clock."""
TRAINING_SECONDS: Final = 180
"""Processor time for one run: BPE and WordPiece take a tenth of it at most, Unigram more with a large text
and a large seed."""
DRAWER_ROOM: Final = 100_000_000
"""Bytes of traces in the drawing process: its memory has the same limit as a training process's, and it dies
of more."""
DRAWING_SECONDS: Final = 20
"""Processor time for one window of frames: the largest takes a second or two, and a page waits for it."""
TRACE_LIMIT: Final = 30_000_000
"""Bytes of a finished run on its way from the training process: ten times as many in memory."""
SMALL_TASK: Final = 600
"""Bytes of a text for training in the server's own process: it takes a few hundredths of a second, the same
as drawing a page."""
FEW_FRAMES: Final = 24
"""Frames drawn in the server's own process: they take some tens of milliseconds."""
HERE_SECONDS: Final = 0.2
"""Expected seconds up to which a small text is trained in the server's own process: the estimate may be
several times too high, seldom too low, and drawing a page takes as long."""
SHORT_SECONDS: Final = 1.0
"""Expected seconds of a short training: only short ones may take the last free process, so that a process is
free again soon."""
JOBS_EACH: Final = 2
"""Running trainings of one session: a new one gives up the oldest one without a waiting page."""
JOBS_ON_A_PAGE: Final = 4
"""Trainings of one session with waiting pages: the playground opens four tokenizers at once."""


FORGOTTEN_SECONDS: Final = 120.0
"""Time without a request from a page until a run is given up: a browser asks each minute at least, in a
hidden tab."""
QUICK: Final = 0.4
"""Seconds of a page's wait for a run before it shows a progress bar: a short-lived bar would only flicker."""
WORTH_LIMIT: Final = 400
"""Pieces with a recalculated loss in a table: this many take a second."""
EXERCISES_REMEMBERED: Final = 500
"""Exercises of a session with remembered answers: more than a course has."""
WINDOWS_LIMIT: Final = 2_000
"""Windows of a text: two long texts, both cut, would have millions."""
NORMALIZED_LIMIT: Final = 20_000
"""Characters to search for a normalizer's changes: it runs at every keystroke."""
COUNTS_ROOM: Final = 12_000_000
"""Bytes of texts with cached counts of characters, words and sentences: the ones being typed."""
SUBJECTS_ROOM: Final = 400_000_000
"""Bytes of tokenizers at a step of their training: two dozen with long encoded texts. Their traces are kept
elsewhere."""
TOKEN_SIZE: Final = 400
"""Bytes of such a tokenizer's token besides its letters: in lists, in dictionaries, with its pair."""
RUNS_REMEMBERED: Final = 8
"""A session's latest training runs on offer elsewhere: this many can be told apart in a list."""
BROUGHT_REMEMBERED: Final = 8
"""A session's latest tokenizers from elsewhere on offer: this many can be told apart in a list."""
WINDOW_LIMIT: Final = 100_000_000
"""Tokens of a context window in the playground: ten times the longest on offer."""

# --- A site of static pages ---------------------------------------------------------------------------------

SITE_ROOM: Final = 5_000_000
"""Characters of the frames of a flipbook on a page of a site: 400 steps of most runs. Compressed, they are a
twentieth of that."""
LIVE_TEXT: Final = 20_000
"""Characters of a text for training in a visitor's browser, where Python is several times slower: ten pages
take a second or two."""
LESSON_BYTES: Final = 500_000
"""Bytes of a lesson.toml: a book's chapter has a tenth of that. Its corpora may be in files of their own."""
LESSON_PARTS: Final = 60
"""Parts of a lesson, each with a run at the most: a browser opens as many flipbooks in seconds."""
LESSON_QUESTIONS: Final = 40
"""Questions of a part of a lesson, and as many notes on steps, answers and choices: a worksheet has a tenth
of that."""
LESSON_TEXT: Final = 20_000
"""Characters of a text in a lesson: ten pages."""
LESSON_LINE: Final = 500
"""Characters of a title, a question, an answer: several lines of it."""

# --- What the server writes down ----------------------------------------------------------------------------

RECORDS_ALIKE: Final = 5
"""Log records of one place in the code per minute: more say nothing new, and a browser can make a server fail
ten times a second."""
RECORDS_SECONDS: Final = 60.0
"""Time until it may write again: readers of the log soon see that it goes on, and how often."""
RECORD_LIMIT: Final = 8_000
"""Characters of a record: a traceback through Streamlit and a page has some four thousand; a message may
quote a visitor's text."""
LOST_LIMIT: Final = 2_000
"""Characters of an address without a page to pass on: its query goes along to the intended page."""
LOOKUP_LIMIT: Final = 10_000
"""Characters of a list of ids to look up: room for `IDS_LIMIT` of them, with any separators."""
IDS_LIMIT: Final = 2_000
"""Ids to look up at once: a page of text; a larger table is of no use to anybody."""
