"""Stepping through training in the terminal: the keys of the page, without a browser."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Footer, Input, Label, Static

from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.assets import ASSETS
from tokensteps.cli.terminal.panels import choices, token_of, vocabulary, words_text
from tokensteps.drawing.tokens import Style, readable
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.language.i18n import _, count, use_language
from tokensteps.language.numbers import read_whole

FAR: Final = 10
"""Steps of a page key."""
BAR: Final = 20
"""Columns of the bar for the run's progress."""


class Stepper(App[None]):  # type: ignore[misc]  # mypy doesn't read textual
    """One run, one step at a time."""

    CSS_PATH = ASSETS / "terminal" / "stepper.tcss"
    AUTO_FOCUS = ""
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)"),
        Binding("right", "go(1)"),
        Binding("pageup", f"go(-{FAR})", show=False),
        Binding("pagedown", f"go({FAR})", show=False),
        Binding("home", "to(0)"),
        Binding("end", "to(-1)"),
        Binding("slash", "ask('search')", key_display="/"),
        Binding("n", "again"),
        Binding("g", "ask('jump')"),
        Binding("escape", "leave", show=False),
        Binding("q", "quit"),
    ]

    def __init__(self, trace: AnyTrace, title: str, style: Style, language: str, step: int = 0) -> None:
        super().__init__()
        self.trace, self.heading, self.style, self.language = trace, title, style, language
        self.step, self.prompt, self.wanted = step, "", ""
        self._draw: Any = STEP_KINDS[trace.ranked_by].frame
        use_language(language)
        data = {
            "left": _("Back"),
            "right": _("Next"),
            "home": _("Start"),
            "end": _("End"),
            "slash": _("Search"),
            "n": _("Next found"),
            "g": _("Jump"),
            "q": _("Quit"),
        }
        for key, description in data.items():
            [binding] = self._bindings.key_to_bindings[key]
            self._bindings.key_to_bindings[key] = [
                Binding(binding.key, binding.action, description, key_display=binding.key_display)
            ]

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static(id="title", markup=False)
            yield Static(id="where")
        yield Static(id="said", markup=False)
        with Horizontal(id="panels"):
            yield Static(id="words")
            yield Static(id="choices")
        yield Static(id="vocabulary")
        with Horizontal(id="ask"):
            yield Label(id="asks")
            yield Input(compact=True)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        if self.trace.ranked_by == "score":  # its table has one more column
            self.query_one("#words").styles.width, self.query_one("#choices").styles.width = "2fr", "3fr"
        self.call_after_refresh(self.draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    # --- drawing --------------------------------------------------------------------------------------------

    def draw(self, note: str = "") -> None:
        """Show the step; a `note` stands in the sentence's place."""
        use_language(self.language)  # of this thread
        snapshot: Any = self.trace[self.step]
        frame, last = self._draw(snapshot, self.style), len(self.trace)
        rows = max(1, self.query_one("#panels").size.height - 1)
        width = self.query_one("#words").size.width
        text = _("Step {step} of {last}").format(step=count(self.step), last=count(last))
        filled = round(BAR * self.step / last) if last else BAR
        for position, shown in {
            "title": f"{self.heading} · {frame.status}",
            "where": f"{text}  {'━' * filled}{'─' * (BAR - filled)}",
            "said": note or frame.say,
            "words": words_text(snapshot, self.style, rows, width),
            "choices": choices(snapshot, self.style, rows - 1),
            "vocabulary": vocabulary(snapshot, self.style),
        }.items():
            self.query_one(f"#{position}", Static).update(shown)

    # --- keys -----------------------------------------------------------------------------------------------

    def action_go(self, steps: int) -> None:
        self.action_to(max(0, self.step + steps))

    def action_to(self, step: int) -> None:
        last = len(self.trace)
        self.step = last if step < 0 else min(step, last)
        self.draw()

    def action_ask(self, what: str) -> None:
        """Open the line for a token to search, or for a step to jump to."""
        self.prompt = what
        use_language(self.language)
        label = (
            _("Token:") if what == "search" else _("Step, up to {last}:").format(last=count(len(self.trace)))
        )
        self.query_one("#asks", Label).update(label)
        self.query_one("#ask").add_class("open")
        field = self.query_one(Input)
        field.value = ""
        field.focus()

    def action_leave(self) -> None:
        """Close that line."""
        self.query_one("#ask").remove_class("open")
        self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        wanted, text = self.prompt, event.value.strip()
        self.action_leave()
        use_language(self.language)
        if wanted == "search":
            self.wanted = text
            self.action_again()
        elif (step := read_whole(text)) is not None:
            self.action_to(step)
        else:
            message = _("{text} is no step; write a number up to {last}.")
            self.draw(message.format(text=readable(text), last=count(len(self.trace))))

    def action_again(self) -> None:
        """Go to the next step with the searched text in its token; after the end, from the beginning."""
        use_language(self.language)
        if not self.wanted:
            return
        last = len(self.trace)
        for distance in range(1, last + 2):
            step = (self.step + distance) % (last + 1)
            token = token_of(self.trace.event(step))
            if token and (self.wanted in token or self.wanted in readable(token, self.style)):
                self.action_to(step)
                return
        message = _("No step makes or prunes a token with {text}.")
        self.draw(message.format(text=readable(self.wanted)))
