/** Of lists, imports and people. */
export const viewStyle = `
.presets ul { display: flex; flex-wrap: wrap; gap: var(--s2); list-style: none; margin: var(--s3) 0; padding: 0; }
.presets a { border: 1px solid var(--line); border-radius: 1rem; color: var(--text); display: block; padding: var(--s1) var(--s3);
  text-decoration: none; }
.presets a:hover { border-color: var(--text); }
.presets a[aria-current] { background: var(--tint); border-color: var(--accent); color: var(--accent); font-weight: 600; }
.search { align-items: center; display: flex; flex-wrap: wrap; gap: var(--s2); margin: var(--s4) 0; }
.search label { font-weight: 600; }
.search input { flex: 1 1 16rem; max-width: 26rem; }
.lead { font-size: var(--large); max-width: none; }
.fields { list-style: none; margin: 0; padding: 0; }
.fields b { color: var(--quiet); font-weight: 600; }
.fields del { color: var(--quiet); }
.fields ins { font-weight: 600; text-decoration: none; }
.fields del + ins::before { color: var(--quiet); content: "→ "; font-weight: 400; }
a, b, code, del, ins { unicode-bidi: isolate; }
td .inline { display: flex; flex-wrap: wrap; gap: 0 var(--s4); }
.counts { align-items: baseline; display: flex; flex-wrap: wrap; gap: var(--s2) var(--s5); list-style: none; margin: 0; padding: 0; }
.counts a, .counts span { display: inline-block; padding: var(--s1) 0; }
.notice { background: var(--surface); border: 1px solid var(--line); border-left-width: 6px; border-radius: 6px; max-width: none;
  padding: var(--s3) var(--s4); }
.sr { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
.actions { display: grid; gap: var(--s3); }
.actions > details { background: var(--surface); border: 1px solid var(--soft); border-radius: 6px; padding: var(--s2) var(--s4); }
.actions > details[open] { border-color: var(--line); }
.actions summary { font-weight: 600; min-height: 2rem; }
.crumb { margin-top: calc(-1 * var(--s2)); }
td .ago, th .ago { display: block; font-weight: 400; }
@media (max-width: 40rem) { .search input { flex-basis: 100%; } }
@media print { .presets, .search, .filters { display: none; } }
`;
