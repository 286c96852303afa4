/**
 * Defers code that packages load immediately but a start does not need (ADR 96): HTTP/2, which no
 * server of ours uses, and undici, except for opening connections; undici is for nodes of a cluster
 * and for telemetry. Each is loaded when one of its exports is first used; undici from a part
 * beside the program.
 */

/** The package that becomes a part of its own: an entry of the bundle. */
export const partPackage = 'undici';
export const packagePart = `${partPackage}.part`;

const namespace = 'when-asked';
const partFile = `./${packagePart}.cjs`;

/** The code that loads a module, by its import path. */
const sources = { undici: `require('${partFile}')`, http2: "require('node:http2')" };

/** Exports of undici that have a file of their own, without the rest. */
const alone = { buildConnector: "require('undici/lib/core/connect.js')" };

/**
 * The addon that reads msgpackr's strings, loaded by its file name: its package takes 10 ms to find
 * out which file fits this machine, and is used if that file does not load.
 */
const addon = {
  name: 'msgpackr-extract',
  contents: `try{
const host=process.platform+'-'+process.arch,abi=process.versions.modules;
module.exports=require('@msgpackr-extract/msgpackr-extract-'+host+'/node.abi'+abi+'.glibc.node');
}catch{module.exports=require('msgpackr-extract')}`,
};

/** The bundler plugin. */
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
