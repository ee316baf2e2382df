import { hash } from 'node:crypto';

/** The only style of the page: it works without network, and its rules name it by its hash. */
export const style = `
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --tone: light-dark(#1b5a9c, #8fc1f5) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { font: 16px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem;
  overflow-wrap: break-word }
h1 { font-size: 1.6rem; line-height: 1.2 }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem }
h3 { margin-top: 2.5rem }
h3 code { font-size: 1.05rem }
a { color: var(--tone) }
nav { columns: 16rem; margin: 1rem 0 }
nav p { break-inside: avoid; margin: 0 0 1rem }
nav a { display: block; padding: 0.15rem 0 }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.875em }
pre { background: var(--soft); border-radius: 6px; max-height: 32rem; overflow: auto; padding: 0.75rem; tab-size: 2 }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 34rem; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top }
td:first-child { white-space: nowrap }
td:nth-child(2) { min-width: 12rem }
b { color: light-dark(#b3261e, #ff8a80) }
small { color: light-dark(#4a5d74, #a9b8c8) }
summary { cursor: pointer; padding: 0.15rem 0 }
.verb { background: var(--tone); border-radius: 4px; color: light-dark(#fff, #0f2338); padding: 0.1rem 0.4rem }
`;

export const styleHash = `'sha256-${hash('sha256', style, 'base64')}'`;
