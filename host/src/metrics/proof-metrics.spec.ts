import t from 'tap';
import { recordVerified, type ProofWatch } from '../health/proof-watch.js';
import { Metrics } from './metrics.js';
import { watchProof } from './proof-metrics.js';

const names = [
  'rollcall_last_verified_timestamp_seconds',
  'rollcall_last_verified_position',
  'rollcall_log_broken_streams',
  'rollcall_last_anchor_timestamp_seconds',
];
const broken = ['company-7', 'survey-1'].map((stream) => ({
  stream,
  revision: 3,
  problem: 'its chain',
  foundAt: 1,
}));
const proof = { verifiedTo: 41n, begunAt: 1, wholeAt: 5_500, broken, by: 'p', at: 2 };

t.test('a scrape shows the proof in seconds, its position, and how many streams are broken', async (t) => {
  const folder = t.testdir();
  const watch: { -readonly [K in 'proof' | 'anchoredAt']: ProofWatch[K] } = {
    proof: undefined,
    anchoredAt: undefined,
  };
  const metrics = new Metrics({ defaults: false });
  watchProof(metrics, folder, watch);
  const values = async (): Promise<(string | undefined)[]> => {
    const scraped = await metrics.scrape();
    return names.map((name) => new RegExp(`^${name} (\\S+)$`, 'm').exec(scraped)?.[1]);
  };
  const none = undefined;
  t.strictSame(await values(), [none, none, none, none], 'nothing is known');
  watch.proof = proof;
  watch.anchoredAt = 7_250;
  t.strictSame(await values(), ['5.5', '41', '2', '7.25']);
  await recordVerified(folder, 6_000);
  t.strictSame(await values(), ['6', '41', '2', '7.25'], 'the command was later');
  watch.proof = { ...proof, wholeAt: 9_000, broken: [] };
  t.strictSame(await values(), ['9', '41', '0', '7.25'], 'the projector was later');
  watch.proof = { ...proof, wholeAt: null, verifiedTo: undefined, broken: [] };
  t.strictSame(await values(), ['6', '0', '0', '7.25'], 'a round begins');
});
