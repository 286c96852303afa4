/**
 * What packages load at their first line and a start does not need (ADR 96): HTTP/2, which no server of ours speaks, and
 * of undici all but what opens connections, which is for nodes of a cluster and for telemetry. Each is loaded when one
 * of its exports is looked at; undici from a part beside the program.
 */

/** The package that is a part of its own: an entry of the bundle. */
export const partPackage = 'undici';
export const packagePart = `${partPackage}.part`;

const namespace = 'when-asked';
const partFile = `./${packagePart}.cjs`;

/** Where a name is looked up, by what is imported. */
const sources = { undici: `require('${partFile}')`, http2: "require('node:http2')" };

/** Exports of undici that have a file without the rest of it. */
const alone = { buildConnector: "require('undici/lib/core/connect.js')" };

/**
 * The addon that reads the strings of msgpackr, by its file: its package takes 10 ms to find out which of them this
 * machine takes, and is asked where that one does not load.
 */
const addon = {
  name: 'msgpackr-extract',
  contents: `try{
const host=process.platform+'-'+process.arch,abi=process.versions.modules;
module.exports=require('@msgpackr-extract/msgpackr-extract-'+host+'/node.abi'+abi+'.glibc.node');
}catch{module.exports=require('msgpackr-extract')}`,
};

/** A plugin of the bundler. */
export const whenAsked = {
  name: 'when-asked',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(undici|(node:)?http2)$/ }, ({ path, kind, namespace: from }) =>
      kind === 'entry-point' || from === namespace
        ? undefined
        : { path: path.replace('node:', ''), namespace },
    );
    onResolve({ filter: new RegExp(`^${addon.name}$`) }, ({ path, namespace: from }) =>
      from === namespace ? { path, external: true } : { path, namespace },
    );
    onResolve({ filter: /\.part\.cjs$/, namespace }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      if (path === addon.name) return { contents: addon.contents };
      const { default: whole } = await import(path);
      const getters = Object.keys(whole).map(
        (name) => `get ${name}(){return ${alone[name] ?? `${sources[path]}.${name}`}}`,
      );
      return {
        contents: `module.exports={${getters.join(',')}};`,
        resolveDir: import.meta.dirname,
      };
    });
  },
};
