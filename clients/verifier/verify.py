"""Verifies an export of a Rollcall log, or the proof of one event. Written from docs/log-format.md alone."""
import argparse, base64, hashlib, json, re, struct, sys
from pathlib import Path

ZERO = bytes(32)
CHAIN = re.compile(r',"chain":"([0-9a-f]{64})"\}\Z')
ENDS = {"EmployeeSetReplaced", "EmployeeSetConfirmed", "ManagerRolesImported", "ManagerRolesConfirmed",
        "ImportFailed", "ImportCancelled", "ImportRejected"}
TEXTS = ("installationId", "time", "position", "root", "kid", "signature")
NUMBERS = ("format", "events", "streams")

class Damage(Exception):
    """What an event, an anchor, a file or a proof is not."""

UNREADABLE = (Damage, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, struct.error)

def said_of(problem):
    """Without what Python says, which may have values of the log."""
    return str(problem) if isinstance(problem, Damage) else "it is not what the format says"

def wrong_use(problem):
    print(problem, file=sys.stderr)
    return SystemExit(2)

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def text_of(path):
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        raise wrong_use(f"{path} cannot be read") from None

def data_of(event):
    member = "binary" if event["type"] == "DataPiece" else "data"
    if {"binary", "data"} & event.keys() != {member}:
        raise Damage(f"its bytes are not in `{member}` alone")
    return base64.b64decode(event["binary"]) if member == "binary" else event["data"].encode()

def stored_chain(event):
    found = CHAIN.search(event["metadata"])
    return bytes.fromhex(found.group(1)) if found else ZERO

def check_chain(previous, event):
    """The event's chain value, which continues `previous`."""
    fields = [event["stream"].encode(), struct.pack(">Q", event["revision"]), event["id"].lower().encode(),
              event["type"].encode(), data_of(event), CHAIN.sub("}", event["metadata"]).encode()]
    parts = [part for field in fields for part in (struct.pack(">I", len(field)), field)]
    if sha256(previous, *parts) != stored_chain(event):
        raise Damage("the chain is broken")
    return stored_chain(event)

def parsed(text):
    try:
        return json.loads(text)
    except UNREADABLE:
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
    if anchor["kid"] not in keys:
        return False
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    names = ("installationId", "time", "position", "events", "streams", "root", "kid")
    text = f"rollcall anchor {anchor['format']}\n" + "".join(f"{anchor[name]}\n" for name in names)
    try:
        load_pem_public_key(keys[anchor["kid"]].encode()).verify(base64.b64decode(anchor["signature"]), text.encode())
        return True
    except (InvalidSignature, UnsupportedAlgorithm, *UNREADABLE):
        raise Damage("its signature is wrong") from None

def anchors_in(path):
    anchors = [parsed(line) for line in text_of(path).splitlines() if line.strip()]
    if not anchors or not all(is_anchor(anchor) for anchor in anchors):
        raise wrong_use(f"{path} holds what is no anchor")
    return [(anchor, f"{path}:{number}") for number, anchor in enumerate(anchors, 1)]

def damaged_files(folder, manifest, at):
    for entry in manifest["files"]:
        at[0] = entry["path"]
        text = Path(folder, at[0]).read_bytes() if Path(folder, at[0]).is_file() else b""
        if (len(text), sha256(text).hex(), text.count(b"\n")) != (entry["bytes"], entry["sha256"], entry["events"]):
            yield f"{entry['path']}: it is not the file of the manifest"
    at[0] = "manifest.json"
    if manifest["format"] != 1 or manifest["events"] != sum(entry["events"] for entry in manifest["files"]):
        yield "manifest.json: it is not of format 1, or not of these files"

def events_of(folder, manifest, at):
    for entry in manifest["files"]:
        at[0] = entry["path"]
        with open(Path(folder, at[0]), encoding="utf-8", errors="replace") as file:
            yield from map(json.loads, file)
    at[0] = "manifest.json"

class Verifier:
    """Takes the events of a log in their order; `damage` has each damaged stream's first problem."""

    def __init__(self, anchors):
        self.damage, self.anchor_problems, self.unchecked = {}, [], {}
        self.heads, self.streams, self.chunks, self.references, self.ended, self.waiting = {}, {}, {}, [], {}, {}
        self.events, self.anchored, self.position, self.installation, self.fitting = 0, 0, -1, None, None
        for anchor, source in anchors:
            self.waiting.setdefault(anchor["events"], []).append((anchor, source))

    def breaks(self, stream, revision, problem):
        if stream not in self.damage or self.damage[stream][0] > revision:
            self.damage[stream] = (revision, problem)

    def take(self, event):
        self.events += 1
        stream, revision = event["stream"], event["revision"]
        try:
            if event["type"] == "DataPiece":
                count, size, digest = self.chunks.get(stream, (0, 0, hashlib.sha256()))
                digest.update(data_of(event))
                self.chunks[stream] = (count + 1, size + len(data_of(event)), digest)
            if stream not in self.damage:
                self.check(event)
        except UNREADABLE as problem:
            self.breaks(stream, revision, said_of(problem))
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
        data, name = parsed(event["data"]), event["type"].partition(".v")[0]
        if not isinstance(data, dict) or (name == "LogAnchored" and not is_anchor(data)):
            raise Damage("the data is no JSON object, or no anchor")
        if name in ENDS:
            self.ended[event["stream"], data.get("operationId", metadata.get("operationId"))] = event["revision"]
        if name == "InstallationCreated" and self.installation is None:
            self.installation = data.get("installationId")
        if isinstance(data.get("staged"), dict):
            self.references.append((event, data["staged"], None))
        elif name == "ImportQueued":
            self.references.append((event, dict(data["payload"]), str(data["operationId"])))

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
            stream = str(reference.get("stream"))
            count, size, digest = self.chunks.get(stream, (0, 0, hashlib.sha256()))
            found = [("count", count), ("bytes", size), ("sha256", digest.hexdigest())]
            is_needed = count > 0 or operation is None or self.ended.get((event["stream"], operation), -1) < event["revision"]
            if is_needed and any(reference.get(name) != value for name, value in found):
                self.breaks(event["stream"], event["revision"], f"its chunks in {stream} are missing or changed")
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
        return [f"no public key {kid} is known: its signatures are not checked" for kid in sorted(set(self.unchecked.values()))]

def own_anchors(events):
    found = [(parsed(event.get("data")), f"anchors@{event['revision']}") for event in events if event["stream"] == "anchors"]
    return [(anchor, source) for anchor, source in found if is_anchor(anchor)]

def keys_of(folder, manifest=None):
    files = {path.stem: text_of(path) for path in Path(folder).glob("*.pem")} if folder else None
    return {key["kid"]: key["pem"] for key in manifest["publicKeys"]} if files is None else files

def verify_export(folder, anchor_files=(), key_folder=None):
    at = ["manifest.json"]  # the file that is read
    manifest = parsed(text_of(Path(folder, at[0])))
    given = [one for path in anchor_files for one in anchors_in(path)]
    try:
        problems = list(damaged_files(folder, manifest, at))
        if not problems:
            return verify_events(folder, manifest, given, key_folder, at)
    except UNREADABLE as problem:
        problems = [f"{at[0]}: {said_of(problem)}"]
    return {"ok": False, "damaged": [], "problems": problems, "anchors": False, "notices": [], "events": 0}

def verify_events(folder, manifest, given, key_folder, at):
    whole, anchors = manifest["company"] is None, own_anchors(events_of(folder, manifest, at)) + given
    verifier, partial = Verifier(anchors if whole else []), "the export is of one company: no root can be compared"
    unchecked = verifier.check_signatures(anchors, manifest["installationId"], keys_of(key_folder, manifest))
    for event in events_of(folder, manifest, at):
        verifier.take(event)
    verifier.end()
    verifier.anchor_problems += [(key_folder, problem) for problem in unchecked if key_folder]
    verifier.anchor_problems += [(source, partial) for _, source in given if not whole]
    damage = [(f"{stream}@{revision}", problem) for stream, (revision, problem) in verifier.damage.items()]
    problems = [f"{source}: {problem}" for source, problem in damage + verifier.anchor_problems]
    if verifier.installation not in (None, manifest["installationId"]):
        problems.append("manifest.json: it is of another installation")
    notices = ([] if key_folder else unchecked) + ([] if whole or given else [partial])
    shown = f"for the first {verifier.fitting['events'] if verifier.fitting else 0} of {verifier.anchored} events"
    notices.append(f"that nothing was cut off is shown {shown}{'' if key_folder else ' by keys of the export itself'}")
    return {"ok": not problems, "damaged": sorted(source for source, _ in damage), "problems": problems,
            "anchors": not verifier.anchor_problems, "notices": notices, "events": verifier.events}

def verify_proof(path, key_folder):
    """The proven event and its anchor. `Damage` where the proof proves nothing."""
    proof = parsed(text_of(path))
    anchor, events, chain = proof["anchor"], proof["events"], bytes.fromhex(proof["previous"])
    if proof["format"] != 1 or not is_anchor(anchor):
        raise Damage("it or its anchor is not of format 1")
    for number, event in enumerate(events):
        if (event["stream"], event["revision"]) != (events[0]["stream"], events[0]["revision"] + number):
            raise Damage("its events do not follow each other")
        chain = check_chain(chain, event)
    leaf = leaf_hash(events[-1]["stream"], events[-1]["revision"], chain)
    root = root_of_path(leaf, proof["index"], anchor["streams"], map(bytes.fromhex, proof["path"]))
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
        except UNREADABLE as problem:
            return print(f"It proves nothing: {said_of(problem)}") or 1
        return print(f"{event['stream']}@{event['revision']} ({event['id']}) was in the log at {anchor['time']}") or 0
    found = verify_export(options.export, options.anchor, options.keys)
    lines = found["problems"] + [f"Notice: {notice}" for notice in found["notices"]] + (found["ok"] and ["It is whole."] or [])
    print(json.dumps(found) if options.json else "\n".join(lines))
    return 0 if found["ok"] else 1

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
