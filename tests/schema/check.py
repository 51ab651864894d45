#!/usr/bin/env python3
"""Holds the files of the project, and the samples beside this script, to the JSON Schemas that editors use.

check.py NESTWALK: every file of configs/ and tests/vectors/ and every sample in valid/ follows its schema, no sample in
broken/ does, and the program judges the samples as the schemas do. Names of samples begin with the kind of file.
"""

import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "schema"


class Core(yaml.SafeLoader):
    """Scalars as YAML 1.2 has them, which is how editors read: on and off are words."""


class Older(yaml.SafeLoader):
    """Scalars as YAML 1.1 has them, where on and off are booleans, with keys as they are written."""

    def construct_mapping(self, node, deep=False):
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+0123456789.")),
):
    Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(f"^(?:{pattern})$"), first)
Older.add_constructor("tag:yaml.org,2002:map", Older.construct_mapping)


def validator(kind):
    schema = json.loads((ROOT / "configs" / "schema" / f"{kind}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def fault(checker, path, loader):
    """What is wrong with the file, or nothing."""
    found = jsonschema.exceptions.best_match(checker.iter_errors(yaml.load(path.read_text(), loader)))
    return found and f"{'.'.join(map(str, found.absolute_path)) or 'the file'}: {found.message[:200]}"


def is_read(nestwalk, kind, path):
    shown = subprocess.run([nestwalk, "show", kind, str(path)], capture_output=True, text=True, check=False)
    return shown.returncode == 0


def main():
    nestwalk = sys.argv[1]
    checkers = {kind: validator(kind) for kind in ("machine", "experiment")}
    kinds = {
        "configs/machines": "machine",
        "configs/experiments": "experiment",
        "configs/lessons": "experiment",
        "configs/sweeps": "experiment",
        "tests/vectors": "experiment",
    }
    valid = [(kind, path) for folder, kind in kinds.items() for path in sorted((ROOT / folder).glob("*.yaml"))]
    samples = {name: [(path.name.split("-")[0], path) for path in sorted((SAMPLES / name).glob("*.yaml"))]
               for name in ("valid", "broken")}
    wrong = []
    for kind, path in valid + samples["valid"]:
        for loader in (Core, Older):
            if found := fault(checkers[kind], path, loader):
                wrong.append(f"{path.relative_to(ROOT)} ({loader.__name__}): {found}")
    for kind, path in samples["broken"]:
        if not fault(checkers[kind], path, Core):
            wrong.append(f"{path.relative_to(ROOT)}: follows the schema, and must not")
    for name, readable in (("valid", True), ("broken", False)):
        wrong += [f"{path.relative_to(ROOT)}: nestwalk {'refuses' if readable else 'reads'} it"
                  for kind, path in samples[name] if is_read(nestwalk, kind, path) != readable]
    print("\n".join(wrong) or f"{len(valid)} files and {sum(map(len, samples.values()))} samples")
    enough = len(valid) > 300 and all(len(found) >= 5 for found in samples.values())
    return 0 if enough and not wrong else 1


sys.exit(main())
