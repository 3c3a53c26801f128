/** The tokens stand in docs/page.md, with their contrasts. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fbfcfb; --surface: #ffffff; --text: #17201b; --quiet: #4d5a53;
  --line: #7d8a83; --soft: #dbe2de; --accent: #0b6b45; --on-accent: #ffffff; --tint: #e6f2ec;
  --bad: #b3261e; --on-bad: #ffffff; --bad-tint: #fceeec;
  --small: 0.875rem; --large: 1.25rem; --title: 1.75rem;
  --s1: 0.25rem; --s2: 0.5rem; --s3: 0.75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2.5rem;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111714; --surface: #18201c; --text: #e7eeea; --quiet: #a9b6af;
    --line: #7b8982; --soft: #2d3933; --accent: #6fd3a3; --on-accent: #06281a; --tint: #15281f;
    --bad: #ff9b92; --on-bad: #3a0b08; --bad-tint: #351b19;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
body { background: var(--ground); color: var(--text); margin: 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
h1 { font-size: var(--title); line-height: 1.2; margin: var(--s5) 0 var(--s4); text-wrap: balance; }
h2 { font-size: var(--large); line-height: 1.3; margin: var(--s6) 0 var(--s3); }
h3 { font-size: 1rem; margin: var(--s5) 0 var(--s2); }
p { margin: var(--s2) 0; max-width: 68ch; }
code, pre { font-family: var(--mono); font-size: 0.9em; }
pre { background: var(--surface); border: 1px solid var(--soft); border-radius: 6px; overflow-x: auto; padding: var(--s3); }
.skip { left: -999rem; position: absolute; }
.skip:focus { background: var(--surface); left: var(--s2); padding: var(--s2) var(--s3); top: var(--s2); z-index: 1; }
header { align-items: center; background: var(--surface); border-bottom: 1px solid var(--soft); display: flex; flex-wrap: wrap;
  gap: var(--s1) var(--s5); padding: var(--s2) max(var(--s4), calc((100% - 70rem) / 2)); }
header .brand { color: var(--text); font-weight: 700; padding: var(--s1) 0; text-decoration: none; }
header nav { flex: 1 1 auto; }
header nav ul { display: flex; flex-wrap: wrap; gap: 0 var(--s1); list-style: none; margin: 0; padding: 0; }
header nav a { border: 0 solid transparent; border-width: 3px 0; color: var(--text); display: block; padding: var(--s2); text-decoration: none; }
header nav a:hover { border-bottom-color: var(--line); }
header nav a[aria-current] { border-bottom-color: var(--accent); font-weight: 600; }
.who { align-items: center; color: var(--quiet); display: flex; flex-wrap: wrap; font-size: var(--small); gap: var(--s1) var(--s3); }
.who b { color: var(--text); }
main { margin: 0 auto; max-width: 72rem; padding: 0 var(--s4) var(--s6); }
button, .button { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; color: var(--text); cursor: pointer;
  align-items: center; display: inline-flex; font: inherit; min-height: 2.5rem; padding: var(--s1) var(--s4); text-decoration: none; }
button:hover, .button:hover { border-color: var(--text); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--on-bad); font-weight: 600; }
button.quiet { font-size: var(--small); min-height: 2rem; padding: 0 var(--s3); }
.copy { display: none; }
.scripted .copy { display: inline-flex; }
input, select, textarea { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; color: var(--text); font: inherit;
  max-width: 100%; min-height: 2.5rem; padding: var(--s1) var(--s2); }
form { margin: var(--s4) 0 0; }
.who form { margin: 0; }
.field { margin: 0 0 var(--s4); }
.field label { display: block; font-weight: 600; }
.hint { color: var(--quiet); font-size: var(--small); }
.field .hint { margin: 0 0 var(--s1); }
.field.wrong { border-left: 4px solid var(--bad); padding-left: var(--s3); }
.field.wrong input, .field.wrong select { border: 2px solid var(--bad); }
.field .problem { color: var(--bad); margin: 0 0 var(--s1); }
.action { max-width: 36rem; }
.action input:not([type=number]), .action textarea { width: 100%; }
.filter { align-items: end; display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); margin: var(--s4) 0; }
.filter .field, .filter .field input, .filter .field select { margin: 0; max-width: 100%; }
.filter .field input { width: 100%; }
.filter .buttons { align-items: center; display: flex; gap: var(--s3); }
.done { background: var(--tint); border: 1px solid var(--accent); border-left-width: 6px; border-radius: 6px; margin-top: var(--s4);
  max-width: none; padding: var(--s3) var(--s4); }
.problems { border: 3px solid var(--bad); border-radius: 6px; margin-top: var(--s4); padding: var(--s3) var(--s4); }
.problems h2 { margin: 0 0 var(--s2); }
.problems ul { margin: 0; padding-left: var(--s4); }
.problems a { color: var(--bad); font-weight: 600; }
.empty { border: 1px dashed var(--line); border-radius: 6px; color: var(--quiet); max-width: none; padding: var(--s4); }
.number, .count, time { font-variant-numeric: tabular-nums; }
.ago, .unknown { color: var(--quiet); }
time { white-space: nowrap; }
.ago { font-size: var(--small); white-space: nowrap; }
.state { font-weight: 600; }
td .state { white-space: nowrap; }
.state.good { color: var(--accent); }
.state.bad { color: var(--bad); }
.state.waiting, .state.quiet { color: var(--quiet); }
.box { background: var(--surface); border: 1px solid var(--soft); border-radius: 6px; margin: var(--s3) 0; overflow-x: auto; position: relative; }
table { border-collapse: collapse; width: 100%; }
caption { color: var(--quiet); font-size: var(--small); padding: var(--s2) var(--s3); text-align: left; }
th, td { border-top: 1px solid var(--soft); padding: var(--s2) var(--s3); text-align: left; vertical-align: baseline; overflow-wrap: normal; }
thead th { color: var(--quiet); font-size: var(--small); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
th.count, td.count { text-align: right; white-space: nowrap; }
.pager { display: flex; gap: var(--s5); margin: var(--s3) 0; }
.pager a, .pager span { padding: var(--s1) 0; }
dl { display: grid; gap: var(--s3) var(--s5); grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); margin: var(--s4) 0; }
dt { color: var(--quiet); font-size: var(--small); }
dd { margin: 0; }
.needs { list-style: none; margin: 0; padding: 0; }
.needs li { background: var(--bad-tint); border-left: 6px solid var(--bad); border-radius: 6px; margin: 0 0 var(--s2); padding: var(--s3) var(--s4); }
.needs li p { color: var(--quiet); margin: 0; }
.needs .what::before { color: var(--bad); content: "!"; display: inline-block; font-weight: 800; width: 0.8em; }
.needs .what { color: var(--text); font-weight: 600; }
.charts { display: grid; gap: 0 var(--s6); grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.chart { margin: var(--s4) 0; }
figcaption { font-weight: 600; }
.chart svg { display: block; height: auto; max-width: min(44rem, 100%); overflow: visible; width: 100%; }
.chart line { stroke: var(--soft); }
.chart text { fill: var(--quiet); font-size: 17px; font-variant-numeric: tabular-nums; }
.chart rect.good { fill: var(--accent); }
.chart rect.bad { fill: var(--bad); }
.legend { display: flex; flex-wrap: wrap; font-size: var(--small); gap: var(--s4); list-style: none; margin: var(--s1) 0; padding: 0; }
.legend li::before { background: var(--accent); border-radius: 2px; content: ""; display: inline-block; height: 0.75em; margin-right: var(--s2); width: 0.75em; }
.legend li.bad::before { background: var(--bad); }
summary { color: var(--accent); cursor: pointer; padding: var(--s1) 0; }
@media (max-width: 40rem) {
  h1 { font-size: 1.5rem; }
  header { padding: var(--s2) var(--s4); }
  header nav { order: 3; flex-basis: 100%; }
  header nav ul { margin: 0 calc(-1 * var(--s2)); }
  header nav a { padding: var(--s1) var(--s2); }
  .who { margin-left: auto; }
  .filter .field, .filter .field input, .filter .field select { width: 100%; }
  .chart text { font-size: 28px; }
  .box table, caption, tbody, tr, tbody th, td { display: block; }
  thead { clip-path: inset(50%); overflow: hidden; position: absolute; }
  tbody tr { border-top: 1px solid var(--soft); padding: var(--s2) 0; }
  tbody th, td { border: 0; overflow-wrap: anywhere; padding: var(--s1) var(--s3); }
  th.count, td.count { text-align: left; }
  td::before, tbody th.count::before { color: var(--quiet); content: attr(data-name) ": "; font-size: var(--small); }
}
@media (prefers-reduced-motion: no-preference) { button, a { transition: border-color 0.1s; } }
.sign { display: none; }
@media print {
  :root { --ground: #fff; --surface: #fff; --text: #000; --quiet: #333; --accent: #000; --bad: #000; --bad-tint: #fff; --tint: #fff; --soft: #999; color-scheme: light; }
  header nav, .who form, .filter, .action, .actions, .pager, .skip, .copy, .buttons, summary { display: none; }
  body { font-size: 10pt; }
  .box { border: 0; overflow: visible; }
  .chart rect.bad, .legend li.bad::before { background: #fff; fill: #fff; outline: 1px solid #000; stroke: #000; }
  .needs li { border: 1px solid #000; border-left-width: 6px; }
  tr, .chart, .needs li { break-inside: avoid; }
  thead { display: table-header-group; }
  .sign { display: block; border-bottom: 1px solid #000; padding: 3em 0 2em; break-inside: avoid; }
}
`;
