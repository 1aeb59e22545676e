"""The reference of the package, docs/python-reference.md: signatures from the stubs, words from the docstrings.

    python python/tests/reference.py > docs/python-reference.md
"""

import ast
import inspect
import pathlib
import re

import flyball

PACKAGE = pathlib.Path(__file__).parents[1] / "flyball"

HEAD = """# Python reference

All names of the package `flyball`; [From Python](python.md) is the guide to it. Times are whole nanoseconds, or texts such as `"5ms"` where something
is asked for. This page is made of the package's own types and docstrings, which `help(flyball.TaskSet)` shows, too.

"""


class WrittenOut(ast.NodeTransformer):
    """Has the types in the place of their private names."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return self.visit(self.names[node.id]) if node.id in self.names else node


def definitions():
    """Classes and functions by name, as the stubs and the package's Python have them."""
    found, private = {}, {}
    for file in ("_flyball.pyi", "_ask.py", "_policy.py"):
        for node in ast.parse((PACKAGE / file).read_text()).body:
            if isinstance(node, ast.Assign):
                private[node.targets[0].id] = node.value
            elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                # Of overloads the last is the function itself.
                found[node.name] = WrittenOut(private).visit(node)
    return found


def written(node):
    return ast.unparse(node).replace("'", '"')


def signature(function, name):
    """It as it is called: without `self`, and over several lines if it is long."""
    arguments = function.args
    bound = [it for it in (*arguments.posonlyargs, *arguments.args) if it.arg not in ("self", "cls")]
    arguments.posonlyargs, arguments.args = [], bound
    returns = f" -> {written(function.returns)}" if function.returns else ""
    parts = [re.sub(r"(: [^=]*)=(.*)$", r"\1 = \2", part) for part in split(written(arguments))]
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= 110:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def split(arguments):
    """Arguments, cut at the commas between them."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def words(thing):
    found = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    return re.sub(r"(^>>> .*\n?(?:^(?:>>>|\.\.\.).*\n?)*)", lambda code: f"```python\n{code[0].rstrip()}\n```\n", found, flags=re.MULTILINE).rstrip()


def of_function(function, name, thing):
    yield f"```python\n{signature(function, name)}\n```\n"
    yield f"{words(thing)}\n"


def of_class(node, name):
    thing = getattr(flyball, name)
    yield f"## {name}\n"
    yield f"{words(thing)}\n"
    methods = [it for it in node.body if isinstance(it, ast.FunctionDef)]
    decorated = lambda it, by: any(ast.unparse(found) == by for found in it.decorator_list)
    properties = [it for it in methods if decorated(it, "property")]
    if properties:
        yield "| attribute | type | what it is |\n|---|---|---|"
        for it in properties:
            what = " ".join(words(getattr(thing, it.name)).split()).replace("|", "\\|")
            kind = written(it.returns).replace("|", "\\|")
            yield f"| `{it.name}` | `{kind}` | {what} |"
        yield ""
    for it in methods:
        if it.name in ("__new__", "__init__"):
            yield f"```python\n{signature(it, name)}\n```\n"
        elif not it.name.startswith("__") and it not in properties:
            owner = name if decorated(it, "staticmethod") else name[0].lower() + name[1:]
            yield from of_function(it, f"{owner}.{it.name}", getattr(thing, it.name))


def text():
    found = definitions()
    functions, classes = [], []
    for name in sorted(set(flyball.__all__) & found.keys(), key=str.lower):
        node = found[name]
        if isinstance(node, ast.ClassDef):
            classes += of_class(node, name)
        else:
            functions += [f"## {name}\n", *of_function(node, f"flyball.{name}", getattr(flyball, name))]
    return HEAD + "\n".join(["# Functions\n", *functions, "# Classes\n", *classes]).rstrip() + "\n"


if __name__ == "__main__":
    print(text(), end="")
