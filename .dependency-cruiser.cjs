/** Who may import whom (ARCHITECTURE.md). Everything not allowed here is an error. */
const inside = (name) => `^src/${name}(/|\\.)`;

/** A folder of src/ and the folders that it may import beside itself. */
const layers = {
  domain: [],
  client: ['domain'],
  http: [],
  secrets: [],
  tls: ['secrets'],
  pairing: ['domain', 'ports', 'secrets'],
  operator: ['domain', 'events', 'method', 'pairing', 'ports', 'records', 'secrets', 'transaction'],
  emv: ['domain'],
  iso8583: ['domain'],
  receipt: ['domain'],
  qr: ['domain'],
  events: ['domain'],
  ports: ['domain', 'events', 'receipt'],
  records: ['domain', 'events', 'ports'],
  transaction: ['domain', 'emv', 'events', 'ports', 'records'],
  acquirers: ['domain', 'emv', 'iso8583', 'qr', 'ports'],
  journal: ['domain', 'events', 'ports'],
  config: ['domain', 'receipt'],
  counter: ['domain', 'ports', 'receipt'],
  method: ['domain', 'emv', 'events', 'ports', 'qr', 'receipt', 'records', 'transaction'],
  terminal: ['domain', 'emv', 'events', 'method', 'ports', 'qr', 'receipt', 'records', 'transaction'],
  api: ['counter', 'domain', 'events', 'http', 'method', 'pairing', 'ports', 'records', 'transaction', 'terminal'],
  metrics: ['domain', 'events', 'ports', 'records'],
  screen: ['domain', 'http', 'ports'],
  supervision: ['domain', 'events', 'ports', 'records', 'terminal'],
  updates: ['domain', 'ports', 'secrets'],
  commands: ['commissioning', 'domain', 'key-commands', 'standard-output', 'supervision', 'till', 'usage-error'],
  till: ['client', 'domain', 'receipt', 'standard-output', 'usage-error'],
  commissioning: [
    'acquirers',
    'composition',
    'config',
    'domain',
    'events',
    'journal',
    'pairing',
    'ports',
    'receipt',
    'records',
    'screen',
    'secrets',
    'standard-output',
    'supervision',
    'updates',
    'usage-error',
  ],
};

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `src-${name}`,
  comment: `src/${name} imports ${allowed.length > 0 ? allowed.join(', ') : 'nothing of the house'}`,
  severity: 'error',
  from: { path: inside(name) },
  to: { path: '^(src|drivers|hw-sim|test)/', pathNot: [name, ...allowed].map(inside) },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'drivers',
      comment: 'a driver knows the ports, the domain, EMV and the lines of a receipt, and no simulator',
      severity: 'error',
      from: { path: '^drivers/' },
      to: { path: '^(src|hw-sim|test)/', pathNot: ['ports', 'domain', 'emv', 'receipt'].map(inside) },
    },
    {
      name: 'simulator-apart',
      comment: 'a misread protocol must not agree with itself: the simulator shares no code with the terminal',
      severity: 'error',
      from: { path: '^hw-sim/' },
      to: { path: '^(src|drivers|test)/' },
    },
    {
      name: 'terminal-apart',
      comment: 'and the terminal none with the simulator',
      severity: 'error',
      from: { path: '^(src|drivers)/' },
      to: { path: '^(hw-sim|test)/' },
    },
    {
      name: 'composition-root',
      comment: 'daemon.ts knows every part; only the command line knows it',
      severity: 'error',
      from: { path: '^(src|drivers)/', pathNot: '^src/(cli|key-commands|run|simulator|snapshot)\\.ts$' },
      to: { path: '^src/(daemon|run|simulator|cli)\\.ts$' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^node:sqlite$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Compiled by itself, with packages and types that only its test has.
    exclude: { path: '^test/outside/(till|node_modules)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
