"""Verifies an export of a Rollcall log, or the proof of one event. Written from docs/log-format.md alone."""
import argparse
import base64
import hashlib
import json
import re
import struct
import sys
from pathlib import Path

ZERO = bytes(32)
CHAIN = re.compile(r',"chain":"([0-9a-f]{64})"\}$')
ENDS = {"EmployeeSetReplaced", "EmployeeSetConfirmed", "ManagerRolesImported", "ManagerRolesConfirmed",
        "ImportFailed", "ImportCancelled", "ImportRejected"}
TEXTS = ("installationId", "time", "position", "root", "kid", "signature")
NUMBERS = ("format", "events", "streams")


class Damage(Exception):
    """What an event, an anchor or a proof is not."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def data_of(event):
    return base64.b64decode(event["binary"]) if "binary" in event else event["data"].encode()


def stored_chain(event):
    found = CHAIN.search(event["metadata"])
    return bytes.fromhex(found.group(1)) if found else ZERO


def check_chain(previous, event):
    """The event's chain value, which continues `previous`."""
    metadata = CHAIN.sub("}", event["metadata"])
    fields = [event["stream"].encode(), struct.pack(">Q", event["revision"]), event["id"].lower().encode(),
              event["type"].encode(), data_of(event), metadata.encode()]
    parts = [part for field in fields for part in (struct.pack(">I", len(field)), field)]
    if sha256(previous, *parts) != stored_chain(event):
        raise Damage("the chain is broken")
    return stored_chain(event)


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def leaf_hash(stream, revision, chain):
    name = stream.encode()
    return sha256(b"\0", struct.pack(">I", len(name)), name, struct.pack(">Q", revision), chain)


def root_of(leaves):
    """RFC 9162, 2.1.1, of hashed leaves: joins neighbours level by level; the odd one moves up."""
    level = list(leaves)
    while len(level) > 1:
        joined = [sha256(b"\1", level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = joined + level[len(joined) * 2:]
    return level[0] if level else sha256()


def root_of_path(leaf, index, size, path):
    at, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if at % 2 == 1 or at == last:
            found = sha256(b"\1", sibling, found)
            while at % 2 == 0 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            found = sha256(b"\1", found, sibling)
        at, last = at >> 1, last >> 1
    return found if last == 0 and index < size else None


def is_anchor(value):
    return (isinstance(value, dict) and all(isinstance(value.get(name), str) for name in TEXTS)
            and all(isinstance(value.get(name), int) for name in NUMBERS) and value["format"] == 1)


def check_signature(anchor, keys):
    """True; False where no key of this name is known. `Damage` where it is wrong."""
    pem = keys.get(anchor["kid"])
    if pem is None:
        return False
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    names = ("installationId", "time", "position", "events", "streams", "root", "kid")
    text = f"rollcall anchor {anchor['format']}\n" + "".join(f"{anchor[name]}\n" for name in names)
    try:
        load_pem_public_key(pem.encode()).verify(base64.b64decode(anchor["signature"]), text.encode())
        return True
    except (InvalidSignature, ValueError):
        raise Damage("its signature is wrong") from None


def anchors_in(path):
    anchors = [parsed(line) for line in Path(path).read_text("utf-8").splitlines() if line.strip()]
    if not anchors or not all(is_anchor(anchor) for anchor in anchors):
        raise SystemExit(f"{path} holds what is no anchor")
    return [(anchor, f"{path}:{number}") for number, anchor in enumerate(anchors, 1)]


def damaged_files(folder, manifest):
    for entry in manifest["files"]:
        digest, size, lines = hashlib.sha256(), 0, 0
        with open(Path(folder, entry["path"]), "rb") as file:
            for line in file:
                digest.update(line)
                size, lines = size + len(line), lines + 1
        if (size, digest.hexdigest(), lines) != (entry["bytes"], entry["sha256"], entry["events"]):
            yield f"{entry['path']}: it is not the file of the manifest"


def events_of(folder, manifest):
    for entry in manifest["files"]:
        with open(Path(folder, entry["path"]), encoding="utf-8") as file:
            yield from map(json.loads, file)


class Verifier:
    """Takes the events of a log in their order; `damage` has each damaged stream's first problem."""

    def __init__(self, anchors):
        self.damage, self.anchor_problems, self.unchecked = {}, [], {}
        self.heads, self.streams, self.chunks, self.references, self.ended = {}, {}, {}, [], {}
        self.events, self.anchored, self.position, self.installation, self.fitting = 0, 0, -1, None, None
        self.waiting = {}
        for anchor, source in anchors:
            self.waiting.setdefault(anchor["events"], []).append((anchor, source))

    def breaks(self, stream, revision, problem):
        if stream not in self.damage or self.damage[stream][0] > revision:
            self.damage[stream] = (revision, problem)

    def take(self, event):
        self.events += 1
        stream, revision = event["stream"], event["revision"]
        if event["type"] == "DataPiece":
            count, size, digest = self.chunks.get(stream, (0, 0, hashlib.sha256()))
            digest.update(data_of(event))
            self.chunks[stream] = (count + 1, size + len(data_of(event)), digest)
        if stream not in self.damage:
            try:
                self.check(event)
            except Damage as damage:
                self.breaks(stream, revision, str(damage))
        self.position = int(event["position"])
        if not stream.startswith(("data-", "payload-")):
            self.heads[stream] = (revision, stored_chain(event))
            self.anchored += 1
            self.compare(self.waiting.pop(self.anchored, []))

    def check(self, event):
        revision, chain, recorded = self.streams.get(event["stream"], (-1, ZERO, ""))
        if event["revision"] != revision + 1:
            raise Damage(f"revision {revision + 1} is missing")
        if int(event["position"]) <= self.position:
            raise Damage("its position is not behind that of the event before")
        chain = check_chain(chain, event)
        metadata = parsed(event["metadata"])
        if not isinstance(metadata, dict) or str(metadata.get("recordedAt", "")) < recorded:
            raise Damage("recordedAt is earlier than that of the event before")
        if event["type"] != "DataPiece":
            self.check_data(event, metadata)
        self.streams[event["stream"]] = (event["revision"], chain, str(metadata.get("recordedAt", "")))

    def check_data(self, event, metadata):
        data = parsed(event.get("data", ""))
        if not isinstance(data, dict):
            raise Damage("the data is no JSON object")
        name = event["type"].partition(".v")[0]
        if name in ENDS:
            self.ended[event["stream"], data.get("operationId", metadata.get("operationId"))] = event["revision"]
        if name == "InstallationCreated" and self.installation is None:
            self.installation = data.get("installationId")
        if isinstance(data.get("staged"), dict):
            self.references.append((event, data["staged"], None))
        elif name == "ImportQueued":
            self.references.append((event, data["payload"], data["operationId"]))

    def compare(self, anchors):
        for anchor, source in anchors:
            root = root_of(leaf_hash(name, *self.heads[name]) for name in sorted(self.heads, key=str.encode)).hex()
            if (anchor["root"], anchor["streams"]) == (root, len(self.heads)):
                self.fitting = self.fitting if source in self.unchecked else anchor
            else:
                since = f"the anchor of {self.fitting['time']}" if self.fitting else "the beginning"
                self.anchor_problems.append((source, f"events since {since} were changed, removed or added"))

    def end(self):
        for event, reference, operation in self.references:
            count, size, digest = self.chunks.get(reference["stream"], (0, 0, hashlib.sha256()))
            found = {"count": count, "bytes": size, "sha256": digest.hexdigest()}
            ended = -1 if operation is None else self.ended.get((event["stream"], operation), -1)
            is_needed = count > 0 or ended < event["revision"]
            if is_needed and any(reference.get(name) != value for name, value in found.items()):
                self.breaks(event["stream"], event["revision"], f"its chunks in {reference['stream']} are missing or changed")
        found = f"something is missing: the log has {self.anchored} events in {len(self.heads)} streams"
        for anchor, source in sum(self.waiting.values(), []):
            self.anchor_problems.append((source, f"{found}, the anchor {anchor['events']} in {anchor['streams']}"))

    def check_signatures(self, anchors, installation, keys):
        """Goes before `take`. Returns a sentence for each key that is not known."""
        for anchor, source in anchors:
            try:
                if anchor["installationId"] != installation:
                    raise Damage("it is of another installation")
                if not check_signature(anchor, keys):
                    self.unchecked[source] = anchor["kid"]
            except Damage as damage:
                self.anchor_problems.append((source, str(damage)))
        unknown = sorted(set(self.unchecked.values()))
        return [f"no public key {kid} is known: its signatures are not checked" for kid in unknown]


def own_anchors(events):
    found = [event for event in events if event["stream"] == "anchors"]
    anchors = [(parsed(event.get("data", "")), f"anchors@{event['revision']}") for event in found]
    return [(anchor, source) for anchor, source in anchors if is_anchor(anchor)]


def keys_of(folder, manifest=None):
    files = {path.stem: path.read_text() for path in Path(folder).glob("*.pem")} if folder else None
    return {key["kid"]: key["pem"] for key in manifest["publicKeys"]} if files is None else files


def verify_export(folder, anchor_files=(), key_folder=None):
    manifest = json.loads(Path(folder, "manifest.json").read_text("utf-8"))
    whole = manifest["company"] is None
    anchors = own_anchors(events_of(folder, manifest)) + [one for path in anchor_files for one in anchors_in(path)]
    verifier = Verifier(anchors if whole else [])
    unchecked = verifier.check_signatures(anchors, manifest["installationId"], keys_of(key_folder, manifest))
    for event in events_of(folder, manifest):
        verifier.take(event)
    verifier.end()
    verifier.anchor_problems += [(key_folder, problem) for problem in unchecked if key_folder]
    problems = list(damaged_files(folder, manifest))
    if verifier.installation not in (None, manifest["installationId"]):
        problems.append("manifest.json: it is of another installation")
    damage = [(f"{stream}@{revision}", problem) for stream, (revision, problem) in verifier.damage.items()]
    problems += [f"{source}: {problem}" for source, problem in damage + verifier.anchor_problems]
    notices = ([] if key_folder else unchecked) + ([] if whole else ["the export is of one company: no root can be compared"])
    covered = verifier.fitting["events"] if verifier.fitting else 0
    notices.append(f"that nothing was cut off is shown for the first {covered} of {verifier.anchored} events")
    return {"ok": not problems, "damaged": sorted(source for source, _ in damage), "problems": problems,
            "anchors": not verifier.anchor_problems, "notices": notices, "events": verifier.events}


def verify_proof(path, key_folder):
    """The proven event and its anchor. `Damage` where the proof proves nothing."""
    proof = json.loads(Path(path).read_text("utf-8"))
    anchor, events, chain = proof["anchor"], proof["events"], bytes.fromhex(proof["previous"])
    for number, event in enumerate(events):
        if (event["stream"], event["revision"]) != (events[0]["stream"], events[0]["revision"] + number):
            raise Damage("its events do not follow each other")
        chain = check_chain(chain, event)
    path = [bytes.fromhex(text) for text in proof["path"]]
    leaf = leaf_hash(events[-1]["stream"], events[-1]["revision"], chain)
    root = root_of_path(leaf, proof["index"], anchor["streams"], path)
    if root is None or root.hex() != anchor["root"]:
        raise Damage("its path does not lead to the anchor's root")
    if not check_signature(anchor, keys_of(key_folder)):
        raise Damage(f"no public key {anchor['kid']} is known")
    return events[0], anchor


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("export", nargs="?", help="the folder of an export")
    parser.add_argument("--anchor", action="append", default=[], help="a file of anchors, one a line")
    parser.add_argument("--keys", help="a folder of public keys, <kid>.pem, that you had before")
    parser.add_argument("--proof", help="the proof of one event, in place of an export")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    if (options.export is None) == (options.proof is None) or (options.proof and not options.keys):
        parser.error("name an export, or a proof and --keys")
    if options.keys and not keys_of(options.keys):
        parser.error(f"{options.keys} holds no public key")
    if options.proof:
        try:
            event, anchor = verify_proof(options.proof, options.keys)
        except (Damage, KeyError, TypeError, ValueError) as problem:
            return print(f"It proves nothing: {problem}") or 1
        return print(f"{event['stream']}@{event['revision']} ({event['id']}) was in the log at {anchor['time']}") or 0
    found = verify_export(options.export, options.anchor, options.keys)
    lines = found["problems"] + [f"Notice: {notice}" for notice in found["notices"]] + (found["ok"] and ["It is whole."] or [])
    print(json.dumps(found) if options.json else "\n".join(lines))
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
