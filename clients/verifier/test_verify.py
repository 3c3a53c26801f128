"""The verifier on logs that these tests make themselves: python3 -m unittest discover -s clients/verifier"""
import base64
import copy
import hashlib
import json
import struct
import tempfile
import unittest
import uuid
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import verify

INSTALLATION = "0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3"
OPERATION = "019aa2f0-5c00-7000-8000-000000000001"


def pem_of(key):
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class Log:
    def __init__(self):
        self.events, self.heads, self.key = [], {}, Ed25519PrivateKey.generate()

    def append(self, stream, kind, data, recorded="2026-11-21T09:00:00.000Z", binary=False):
        revision, chain = self.heads.get(stream, (-1, bytes(32)))
        revision += 1
        text = data if binary else json.dumps(data, ensure_ascii=False).encode()
        metadata = json.dumps({"operationId": OPERATION, "recordedAt": recorded}, separators=(",", ":"))
        identity = str(uuid.uuid4())
        hashed = chain
        for field in (stream.encode(), struct.pack(">Q", revision), identity.encode(), kind.encode(), text,
                      metadata.encode()):
            hashed += struct.pack(">I", len(field)) + field
        chain = hashlib.sha256(hashed).digest()
        self.heads[stream] = (revision, chain)
        event = {"position": str(len(self.events) + 7), "stream": stream, "revision": revision, "id": identity,
                 "type": kind, "metadata": f'{metadata[:-1]},"chain":"{chain.hex()}"}}'}
        event.update({"binary": base64.b64encode(text).decode()} if binary else {"data": text.decode()})
        self.events.append(event)

    def chunked(self, stream, *chunks):
        for chunk in chunks:
            self.append(stream, "DataPiece", chunk, binary=True)
        whole = b"".join(chunks)
        return {"stream": stream, "count": len(chunks), "bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}

    def anchor(self):
        heads = {name: head for name, head in self.heads.items() if not name.startswith(("data-", "payload-"))}
        level = [hashlib.sha256(b"\0" + struct.pack(">I", len(name)) + name.encode() + struct.pack(">Q", head[0])
                                + head[1]).digest() for name, head in sorted(heads.items())]

        def root(leaves):
            if len(leaves) == 1:
                return leaves[0]
            half = 1 << ((len(leaves) - 1).bit_length() - 1)
            return hashlib.sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()

        anchor = {"installationId": INSTALLATION, "time": "2026-11-21T10:00:00.000Z",
                  "position": self.events[-1]["position"], "events": sum(head[0] + 1 for head in heads.values()),
                  "streams": len(heads), "root": root(level).hex(), "kid": "one"}
        text = "rollcall anchor 1\n" + "".join(f"{value}\n" for value in anchor.values())
        signature = base64.b64encode(self.key.sign(text.encode())).decode()
        return {"format": 1, **anchor, "signature": signature}


def beside(event, **change):
    """The event with its bytes in `binary`."""
    return {**event, "binary": base64.b64encode(event["data"].encode()).decode(), **change}


def sample():
    log = Log()
    log.append("installation", "InstallationCreated", {"installationId": INSTALLATION})
    for name in "æøå":
        log.append("company-7", "CompanyConfigured", {"name": name})
    log.append("operation-1", "ImportRefused", {"staged": log.chunked("data-1", b"x" * 20, b"y")})
    payload = log.chunked("payload-1", b"[", b"]")
    log.append("company-7", "ImportQueued.v2", {"operationId": OPERATION, "payload": payload})
    log.append("anchors", "LogAnchored", log.anchor())
    for number in range(5):
        log.append(f"survey-{number}", "SurveyCreated", {"surveyId": number})
    return log


class VerifierTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.log = Path(folder.name), sample()

    def verified(self, events=None, anchors=(), company=None, keys=None):
        lines = "".join(f"{json.dumps(event)}\n" for event in (self.log.events if events is None else events))
        (self.folder / "events-000001.ndjson").write_text(lines)
        digest = hashlib.sha256(lines.encode()).hexdigest()
        file = {"path": "events-000001.ndjson", "bytes": len(lines), "sha256": digest, "events": lines.count("\n")}
        manifest = {"format": 1, "installationId": INSTALLATION, "company": company, "files": [file],
                    "events": file["events"],
                    "publicKeys": [{"kid": "one", "pem": pem_of(self.log.key)}]}
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        (self.folder / "kept.ndjson").write_text("".join(f"{json.dumps(anchor)}\n" for anchor in anchors))
        return verify.verify_export(self.folder, [self.folder / "kept.ndjson"] if anchors else [], keys)

    def manifest(self, **change):
        path = self.folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
        return verify.verify_export(self.folder)

    def damaged(self, change, anchors=()):
        events = copy.deepcopy(self.log.events)
        change(events)
        found = self.verified(events, anchors)
        self.assertEqual(found["ok"], not found["problems"])
        return found["damaged"], found["anchors"]

    def test_a_whole_log(self):
        found = self.verified(anchors=[self.log.anchor()])
        self.assertEqual((found["ok"], found["problems"]), (True, []))
        self.assertEqual(found["notices"], ["that nothing was cut off is shown for the first 12 of 12 events by keys of the export itself"])

    def test_changes(self):
        def swap(events):
            events[1]["position"], events[2]["position"] = events[2]["position"], events[1]["position"]
            events[1], events[2] = events[2], events[1]

        cases = [
            (lambda events: events[1].update(data=events[1]["data"].replace("{", "{ ")), ["company-7@0"]),
            (lambda events: events[2].update(type="CompanyForgotten"), ["company-7@1"]),
            (lambda events: events[2].update(id=str(uuid.uuid4())), ["company-7@1"]),
            (lambda events: events[2].update(metadata=events[2]["metadata"].replace("09:00", "08:59")), ["company-7@1"]),
            (lambda events: events[2].update(metadata="{}"), ["company-7@1"]),
            (swap, ["company-7@1"]),
            (lambda events: events.insert(3, events[2]), ["company-7@1"]),
            (lambda events: events[4].update(binary="eA=="), ["data-1@0", "operation-1@0"]),
            (lambda events: events[4].update(data=""), ["data-1@0", "operation-1@0"]),
            (lambda events: events[1].update(beside(events[1], data="{}")), ["company-7@0"]),
            (lambda events: events[1].update(binary=beside(events[1])["binary"]) or events[1].pop("data"), ["company-7@0"]),
            (lambda events: events[1].pop("data"), ["company-7@0"]),
            (lambda events: events[1].update(id=5), ["company-7@0"]),
            (lambda events: events.pop(5), ["operation-1@0"]),
            (lambda events: events.pop(8), ["company-7@3"]),
        ]
        for number, (change, damaged) in enumerate(cases):
            with self.subTest(number):
                self.assertEqual(self.damaged(change)[0], damaged)

    def test_events_that_are_not_what_the_format_says(self):
        self.log.append("company-8", "ImportQueued", {"operationId": OPERATION, "payload": 5})
        self.log.append("anchors", "LogAnchored", {**self.log.anchor(), "format": 2})
        self.assertEqual(self.verified()["damaged"], ["anchors@1", "company-8@0"])
        event = self.log.events[0]
        for number, line in enumerate([["no event"], {**event, "stream": 7}, {**event, "metadata": None}]):
            with self.subTest(number):
                self.assertEqual(self.verified([line])["problems"], ["events-000001.ndjson: it is not what the format says"])
        self.assertEqual(verify.stored_chain({"metadata": event["metadata"] + "\n"}), verify.ZERO)

    def test_files_that_are_cut_or_missing(self):
        self.verified()
        path = self.folder / "events-000001.ndjson"
        path.write_text(path.read_text()[:-40])
        found = verify.verify_export(self.folder)
        self.assertEqual(found["problems"], ["events-000001.ndjson: it is not the file of the manifest"])
        self.assertEqual((found["ok"], found["anchors"]), (False, False))
        path.unlink()
        self.assertEqual(verify.verify_export(self.folder)["problems"], found["problems"])
        self.assertEqual(verify.main([str(self.folder), "--json"]), 1)

    def test_manifests(self):
        for change in [{"format": 2}, {"events": 14}, {"files": []}]:
            with self.subTest(str(change)):
                self.verified()
                expected = ["manifest.json: it is not of format 1, or not of these files"]
                self.assertEqual(self.manifest(**change)["problems"], expected)
        for change in [{"files": 7}, {"files": [{}]}, {"publicKeys": [{}]}]:
            with self.subTest(str(change)):
                self.verified()
                self.assertEqual(self.manifest(**change)["problems"], ["manifest.json: it is not what the format says"])

    def test_what_only_anchors_show(self):
        anchor = self.log.anchor()
        self.assertEqual(self.damaged(lambda events: events.pop()), ([], True), "nothing shows it")
        self.assertEqual(self.damaged(lambda events: events.pop(), [anchor]), ([], False))
        self.assertEqual(self.damaged(lambda events: events.pop(6)), ([], False), "the log's own anchor shows it")
        del self.log.events[-1]
        self.log.append("survey-4", "SurveyCreated", {"surveyId": 5})
        self.assertEqual(self.verified(anchors=[anchor])["anchors"], False, "a rewritten history")

    def test_a_payload_may_be_gone_once_its_import_has_ended(self):
        def without_payload(events):
            events[:] = [event for event in events if event["stream"] != "payload-1"]

        self.assertEqual(self.damaged(without_payload)[0], ["company-7@3"])
        self.log.append("company-7", "ImportCancelled", {"operationId": OPERATION})
        self.assertEqual(self.damaged(without_payload), ([], True))

    def test_only_the_end_of_its_own_import_lets_a_payload_go(self):
        def without(stream):
            return lambda events: events.__setitem__(slice(None), [one for one in events if one["stream"] != stream])

        self.log.append("company-7", "EmployeeSetReplaced", {"staged": self.log.chunked("data-2", b"z")})
        self.assertEqual(self.damaged(without("data-1"))[0], ["operation-1@0"])
        self.assertEqual(self.damaged(without("data-2"))[0], ["company-7@4"])
        self.assertEqual(self.damaged(without("payload-1")), ([], True), "named in the metadata of large data")
        payload = self.log.chunked("payload-3", b"[]")
        for stream, operation in [("company-8", "three"), ("company-7", "three"), ("company-7", "four")]:
            self.log.append(stream, "ImportFailed", {"operationId": operation})
        self.log.append("company-7", "ImportQueued", {"operationId": "three", "payload": payload})
        self.log.append("company-8", "ImportFailed", {"operationId": "three"})
        self.assertEqual(self.damaged(without("payload-3"))[0], ["company-7@7"])

    def test_signatures(self):
        anchor = self.log.anchor()
        wrong = {**anchor, "time": "2026-11-21T11:00:00.000Z"}
        self.assertIn("signature is wrong", str(self.verified(anchors=[wrong])["problems"]))
        self.assertIn("another installation", str(self.verified(anchors=[{**anchor, "installationId": OPERATION}])))
        self.verified()
        other = self.manifest(publicKeys=[{"kid": "one", "pem": pem_of(generate_private_key(SECP256R1()))}])
        self.assertIn("signature is wrong", str(other["problems"]))
        found = self.verified(anchors=[{**anchor, "kid": "two"}])
        self.assertEqual((found["ok"], found["notices"][0][:21]), (True, "no public key two is "))
        self.assertIn("for the first 6 of 12 events", found["notices"][1], "the log's own anchor is checked")

    def test_given_keys_are_to_be_all_that_signed(self):
        keys = self.folder / "keys"
        keys.mkdir()
        (keys / "one.pem").write_text(pem_of(self.log.key))
        anchors = [self.log.anchor()]
        self.assertTrue(self.verified(anchors=anchors, keys=keys)["ok"])
        (keys / "one.pem").rename(keys / "two.pem")
        self.assertNotIn("by keys of", str(self.verified(anchors=anchors, keys=self.folder / "keys")["notices"]))
        found = self.verified(anchors=anchors, keys=keys)
        self.assertEqual((found["ok"], found["anchors"], len(found["problems"])), (False, False, 1))
        self.assertIn("no public key one is known", found["problems"][0])
        self.assertIn("for the first 0 of 12 events", found["notices"][0])

    def test_wrong_use(self):
        self.verified()
        (self.folder / "keys").mkdir()
        export, nowhere, keys = str(self.folder), str(self.folder / "nowhere"), self.folder / "own"
        keys.mkdir()
        (keys / "one.pem").write_text(pem_of(self.log.key))
        cases = [[export, "--keys", str(self.folder / "keys")], [export, "--anchor", str(self.folder / "kept.ndjson")],
                 [export, "--anchor", nowhere], [nowhere], ["--proof", nowhere, "--keys", str(keys)]]
        for wrong in cases:
            with self.subTest(" ".join(wrong)), self.assertRaises(SystemExit) as ended:
                verify.main(wrong)
            self.assertEqual(ended.exception.code, 2)

    def test_the_export_of_one_company_and_a_file_that_is_another(self):
        found = self.verified([event for event in self.log.events if "company" in event["stream"]][:3], company=7)
        self.assertTrue(found["ok"])
        self.assertIn("of one company", str(found["notices"]))
        found = self.verified(anchors=[self.log.anchor()], company=7)
        self.assertEqual((found["ok"], found["anchors"]), (False, False), "given anchors are not left out")
        self.assertIn("kept.ndjson:1: the export is of one company: no root can be compared", found["problems"][0])
        path = self.folder / "events-000001.ndjson"
        path.write_text(path.read_text() + "\n".join(path.read_text().splitlines()[:1]) + "\n")
        self.assertIn("not the file of the manifest", str(verify.verify_export(self.folder)["problems"]))

    def test_a_proof(self):
        log, keys = self.log, self.folder / "keys"
        keys.mkdir()
        (keys / "one.pem").write_text(pem_of(log.key))
        anchor = log.anchor()
        names = sorted(name for name in log.heads if not name.startswith(("data-", "payload-")))
        leaves = [verify.leaf_hash(name, *log.heads[name]) for name in names]
        index, path, level = names.index("company-7"), [], leaves
        at = index
        while len(level) > 1:
            if at ^ 1 < len(level):
                path.append(level[at ^ 1].hex())
            level = [verify.sha256(b"\1", *level[i:i + 2]) if i + 1 < len(level) else level[i]
                     for i in range(0, len(level), 2)]
            at //= 2
        events = [event for event in log.events if event["stream"] == "company-7"]
        proof = {"format": 1, "anchor": anchor, "previous": "00" * 32, "events": events, "index": index, "path": path}

        def outcome(**change):
            (self.folder / "proof.json").write_text(json.dumps({**proof, **change}))
            return verify.main(["--proof", str(self.folder / "proof.json"), "--keys", str(keys)])

        self.assertEqual(outcome(), 0)
        self.assertEqual(outcome(events=[beside(events[0], data="{}"), *events[1:]]), 1)
        self.assertEqual(outcome(format=2), 1)
        self.assertEqual(outcome(anchor=None), 1)
        signed = "".join(f"{value}\n" for name, value in anchor.items() if name not in ("format", "signature"))
        signature = base64.b64encode(log.key.sign(f"rollcall anchor 2\n{signed}".encode())).decode()
        self.assertEqual(outcome(anchor={**anchor, "format": 2, "signature": signature}), 1)
        self.assertEqual(outcome(events=events[:-1]), 1)
        self.assertEqual(outcome(index=index + 1), 1)
        self.assertEqual(outcome(previous="11" * 32), 1)
        self.assertEqual(outcome(anchor={**anchor, "time": "2026-11-21T11:00:00.000Z"}), 1)
        self.assertEqual(outcome(anchor={**anchor, "kid": "two"}), 1)


if __name__ == "__main__":
    unittest.main()
