"""The page “Try” of a site: training on one's own text in the visitor's browser. Pyodide runs the engine and
the drawing there, as they are.

`parts` is for building the site; `trials` and `regexp` run in the browser.
"""
