"""The command group: subcommands are imported when they are run, so that --help is quick."""

import importlib

import click

from porting import __version__

_COMMANDS = {
    "port": ("tree_commands", "port_command", "Port a tree or a file to HIP and verify it."),
    "scan": ("tree_commands", "scan_command", "Report what a port would do; write nothing."),
    "hipify": ("hipify_command", "hipify_command", "Port sources only: to stdout, a diff, a tree."),
    "verify": ("tree_commands", "verify_command", "Compile a ported tree for every architecture."),
    "headers": ("headers_command", "headers_command", "Give HIP under CUDA's names; check that."),
    "link": ("link_command", "link_group", "Plan how programs are linked; audit built ones."),
    "emulate": ("emulate_command", "emulate_command", "Run a program's kernels on the processor."),
    "doctor": ("doctor_command", "doctor_command", "Say what this machine has for porting."),
    "sysroot": ("sysroot_commands", "sysroot_group", "Build ROCm or CUDA where there is none."),
    "explain": ("explain_command", "explain_command", "Explain a code or a CUDA name."),
}


class _LazyGroup(click.Group):
    """A group that knows its commands' names and help without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name, _ = _COMMANDS[cmd_name]
        found = getattr(importlib.import_module(f"porting.cli.{module}"), name)
        return found if isinstance(found, click.Command) else None

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, _, about) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when one is mistyped."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"no command '{args[0]}'{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="porting")
def porting() -> None:
    """Port CUDA code to AMD GPUs, on a machine that has none.

    Exit codes: 0, every stage ran and nothing is left to decide; 1, findings are left;
    2, it could not run as asked.
    """
