import type { Plugin } from 'esbuild';

/**
 * Node's own modules without their ES module face: to make it, Node reads every export, and the mere reading of some of
 * node:http's loads all of undici.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup(bundle) {
    bundle.onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, namespace: 'builtin' }));
    bundle.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};

/** zod's messages in other languages, 290 KB: each schema here has its own words, and zod's own are English. */
export const withoutLocales: Plugin = {
  name: 'without-locales',
  setup(bundle) {
    bundle.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path: name }) => ({ path: name, namespace: 'none' }));
    bundle.onLoad({ filter: /^/, namespace: 'none' }, () => ({ contents: 'export {};' }));
  },
};

/** The one file of serialport that looks for its native addon beside itself: it stays in its package. */
export const addonFile: Plugin = {
  name: 'addon-file',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/serialport-bindings$/ }, () => ({
      path: '@serialport/bindings-cpp/dist/serialport-bindings.js',
      external: true,
    }));
  },
};
