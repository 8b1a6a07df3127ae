"""The page “Try” of a site: training on one's own text in the visitor's browser, where Pyodide runs the
engine and the drawing as they are.

`parts` is what the site is built with; `trials` and `regexp` run in the browser.
"""
