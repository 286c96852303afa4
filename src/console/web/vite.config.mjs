/**
 * How the console is built, and served during development: `npm run dev:console` reloads at each
 * change, and forwards other requests to the server at STEPWELL_URL.
 */
import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const server = process.env.STEPWELL_URL ?? 'http://127.0.0.1:8080';
/** The server accepts a session only from pages of its own origin. */
const asOwn = { target: server, headers: { origin: server } };

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  clearScreen: false,
  logLevel: 'warn',
  plugins: [tailwind()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
      // Libraries mark code for server frameworks by directives, which have no meaning here.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/v2', '/admin', '/topics', '/fetch', '/tail', '/produce', '/health', '/console/session']
        .concat(['/openapi.json', '/metrics', '/sink', '/offsets', '/consumers'])
        .map((path) => [path, asOwn]),
    ),
  },
});
