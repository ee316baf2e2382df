import packageJson from '../../package.json' with { type: 'json' };

/** The version of this build, from package.json. */
export const { version } = packageJson;

/** When this was built: a bundle has it written in (build/bundle.ts), the sources have none. */
export const builtAt = process.env['POID_BUILT_AT'] === undefined ? undefined : new Date(process.env['POID_BUILT_AT']);
