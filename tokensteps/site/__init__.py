"""A site of static pages: the app's runs, lessons, exercises, glossary and errata, for any web server, or
none.

`build` writes all of it. No page asks another host for anything, and each works from `file://`: scripts are
classic ones, fonts lie in a style sheet, and a run's frames lie in its page.
"""
