/** Who may import whom (ARCHITECTURE.md). Everything not allowed here is an error. */
/** `*` is any folder. */
const inside = (name) => `^src/${name.replace('*', '[^/]+')}(/|\\.)`;

/** What the settings of a method or of an option may use of the configuration. */
const settingTypes = [
  'config/bounds',
  'config/common-settings',
  'config/contradiction',
  'config/merge',
  'config/settings-part',
];

/** The words of the field, and the clock and devices as every part sees them. */
const words = ['base/domain', 'base/ports'];
/** What the journal contains, and the records and decisions that follow from it. */
const payments = ['payment/contracts', 'payment/events', 'payment/options', 'payment/records', 'payment/transaction'];

/** A folder of src/ and the folders that it may import beside itself. The order is that of the layers, lowest first. */
const layers = {
  'base/domain': [],
  'base/secrets': [],
  receipt: ['base/domain'],
  'base/ports': ['base/domain', 'receipt'],
  'base/http': words,
  'base/tls': ['base/domain', 'base/secrets'],
  'base/dial': [...words, 'base/tls'],
  'codecs/emv': ['base/domain'],
  'codecs/iso8583': ['base/domain'],
  'codecs/qr': ['base/domain'],
  'hosts/iso8583/dialects': ['base/domain'],
  'methods/*/settings': ['base/domain', ...settingTypes, 'hosts/iso8583/dialects', 'methods/*/settings'],
  'options/*/settings': ['base/domain', ...settingTypes],
  config: ['base', 'methods/*/settings', 'options/*/settings', 'receipt'],
  'methods/*/contract': ['base/domain', 'payment/events/payment-instrument'],
  'methods/contracts': ['methods/*/contract', 'payment/events/payment-instrument'],
  'options/*/contract': ['base/domain'],
  'options/contracts': ['options/*/contract'],
  'payment/events': ['base/domain', 'methods/contracts', 'options/contracts'],
  'payment/contracts': [...words, 'methods/contracts', 'options/contracts', 'payment/events', 'receipt'],
  'payment/records': [...words, 'methods/contracts', 'options/contracts', 'payment/contracts', 'payment/events'],
  'payment/options': [...words, 'payment/contracts', 'payment/events', 'payment/records'],
  'payment/transaction': [
    ...words,
    'codecs/emv',
    'payment/contracts',
    'payment/events',
    'payment/options',
    'payment/records',
  ],
  'payment/method': [...words, ...payments, 'receipt'],
  'payment/terminal': [...words, ...payments, 'payment/method', 'receipt'],
  methods: [...words, ...payments, 'codecs/emv', 'codecs/qr', 'config/bounds', 'hosts', 'payment/method', 'receipt'],
  options: [...words, ...payments],
  hosts: [...words, 'base/dial', 'codecs', 'payment/contracts'],
  'hosts/key-counters': [...words, 'base/secrets', 'payment/contracts'],
  journal: [...words, 'payment/contracts', 'payment/events', 'payment/records'],
  'pos/client': ['base/domain'],
  'pos/pairing': [...words, 'base/secrets', 'payment/contracts'],
  'pos/contracts': [...words, 'pos/pairing'],
  'pos/feeds': [...words, 'base/secrets', 'payment/contracts'],
  'pos/peripherals': [...words, 'payment/contracts', 'receipt'],
  'pos/cloud': [...words, 'base/dial', 'base/tls', 'payment/contracts', 'pos/feeds'],
  'pos/api': [
    ...words,
    ...payments,
    'base/http',
    'base/tls',
    'options',
    'payment/method',
    'payment/terminal',
    'pos/contracts',
    'pos/pairing',
    'pos/peripherals',
  ],
  'pos/nexo': [
    ...words,
    'base/http',
    'base/own-addresses',
    'base/secrets',
    'base/tls',
    'config',
    'pos/api',
    'pos/contracts',
  ],
  operator: [...words, ...payments, 'base/secrets', 'payment/method', 'pos/pairing'],
  screen: ['base/domain', 'base/http', 'payment/contracts', 'receipt'],
  observability: [...words, 'payment/contracts', 'payment/events', 'payment/records', 'payment/terminal'],
  fleet: [...words, 'base/dial', 'base/secrets', 'payment/contracts'],
  'payment/holds': [
    ...words,
    'base/secrets',
    'config',
    'observability',
    'payment/contracts',
    'payment/method',
    'payment/records',
    'payment/terminal',
    'payment/transaction',
  ],
  'pos/cloud/link': [
    ...words,
    'config',
    'observability',
    'payment/contracts',
    'payment/records',
    'pos/api',
    'pos/cloud',
    'pos/contracts',
    'pos/feeds',
    'pos/pairing',
  ],
  'fleet/adoption': [
    ...words,
    'config',
    'fleet',
    'observability',
    'payment/contracts',
    'payment/holds',
    'payment/records',
    'payment/terminal',
  ],
  'admin/shell': ['base', 'pos/client', 'receipt'],
  admin: [
    'base',
    'config',
    'fleet',
    'hosts',
    'journal',
    'main/composition',
    'main/key-commands',
    'methods/*/settings',
    'observability',
    'payment/contracts',
    'payment/events',
    'payment/holds',
    'payment/records',
    'pos/client',
    'pos/pairing',
    'receipt',
    'screen',
  ],
};

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `src-${name.replace('/', '-')}`,
  comment: `src/${name} imports ${allowed.length > 0 ? allowed.join(', ') : 'nothing of the house'}`,
  severity: 'error',
  from: {
    path: inside(name),
    // A folder in it that has a rule of its own, and what runs in a browser.
    pathNot: [
      '^src/screen/page/',
      ...Object.keys(layers)
        .filter((each) => each.startsWith(`${name}/`))
        .map(inside),
    ],
  },
  to: { path: '^(src|drivers|hw-sim|test)/', pathNot: [name, ...allowed].map(inside) },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'screen-page',
      comment: 'a page in a browser has types of the terminal, and none of its code',
      severity: 'error',
      from: { path: '^src/screen/page/' },
      to: { path: '^(src|drivers|hw-sim|test)/', pathNot: '^src/screen/page/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'screen-page-types',
      comment: 'of the screen, the domain, the contracts and the operator’s menu, whose answers it shows',
      severity: 'error',
      from: { path: '^src/screen/page/' },
      to: {
        path: '^(src|drivers|hw-sim|test)/',
        pathNot: ['^src/(base/domain|operator|payment/contracts|screen)/', inside('options/*/contract')],
      },
    },
    {
      name: 'simulator-page',
      comment: 'the simulator’s page has types of the simulator, and none of its code',
      severity: 'error',
      from: { path: '^hw-sim/page/' },
      to: { path: '^hw-sim/', pathNot: '^hw-sim/page/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'drivers',
      comment:
        'a driver knows the ports of devices and hosts, the domain, EMV and the lines of a receipt, and no simulator',
      severity: 'error',
      from: { path: '^drivers/' },
      to: {
        path: '^(src|hw-sim|test)/',
        pathNot: ['base/domain', 'base/ports', 'codecs/emv', 'payment/contracts', 'receipt'].map(inside),
      },
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
      from: { path: '^(src|drivers)/', pathNot: '^src/main/[\\w-]+\\.ts$' },
      to: { path: '^src/main/(daemon|run|simulator|cli)\\.ts$' },
    },
    {
      name: 'method-list',
      comment: 'the list of payment methods alone imports them; their settings are in the configuration',
      severity: 'error',
      from: { path: '^(src|drivers)/', pathNot: '^src/(main/methods\\.ts$|methods/)' },
      to: {
        path: '^src/methods/',
        pathNot: ['methods/*/settings', 'methods/*/contract', 'methods/contracts'].map(inside),
      },
    },
    {
      name: 'method-modules',
      comment: 'a method’s module.ts alone knows the configuration and the hosts',
      severity: 'error',
      from: { path: '^src/methods/', pathNot: ['/module\\.ts$', inside('methods/*/settings')] },
      to: { path: '^src/(config|hosts)/' },
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
    detectJSDocImports: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
