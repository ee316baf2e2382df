"""Reads {"schemas", "judged": [{"schema", "body", "what"}]} from standard input, and prints what is wrong with each body.

Uses Debian's python3-jsonschema, which knows JSON Schema 2020-12 from version 4 on.
"""
import json
import re
import sys

import jsonschema

given = json.load(sys.stdin)
schemas = given["schemas"]
jsonschema.Draft202012Validator.check_schema(schemas)


def patterns(schema):
    """Every pattern of the schemas: Python must be able to read it."""
    if isinstance(schema, list):
        return [each for part in schema for each in patterns(part)]
    if not isinstance(schema, dict):
        return []
    found = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    return found + [each for part in schema.values() for each in patterns(part)]


for pattern in patterns(schemas):
    re.compile(pattern)
faults = []
validators = {}
for judged in given["judged"]:
    name = judged["schema"]
    if name not in validators:
        text = json.dumps({**schemas, "$ref": f"#/$defs/{name}"}).replace('"poid#/', '"#/')
        whole = json.loads(text)
        whole.pop("$id", None)
        validators[name] = jsonschema.Draft202012Validator(whole)
    for error in validators[name].iter_errors(judged["body"]):
        faults.append(f"{judged['what']} as {name}: {error.json_path}: {error.message}")
print(json.dumps({"judged": len(given["judged"]), "patterns": len(patterns(schemas)), "faults": faults}))
