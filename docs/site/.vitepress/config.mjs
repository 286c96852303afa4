/** The site of the documents: `npm run docs:site` gathers the pages, then VitePress reads this. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { slugOf } from '../../../build/site/links.mjs';

const dist = join(import.meta.dirname, '..', '..', '..', 'dist');
const pages = join(dist, 'site-pages');
const { base, sidebar } = JSON.parse(readFileSync(join(pages, 'site.json'), 'utf8'));

export default defineConfig({
  base,
  srcDir: pages,
  srcExclude: ['public/**'],
  outDir: join(dist, 'site'),
  cacheDir: join(dist, 'site-cache'),
  title: 'Stepwell',
  description: 'Durable messages, workflows and topics over HTTP, in one process and one folder.',
  lang: 'en',
  cleanUrls: false,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown) => {
      breakNames(markdown);
      drawDiagrams(markdown);
    },
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  themeConfig: {
    logo: '/icon.svg',
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Messages', link: '/messaging' },
      { text: 'Workflows', link: '/workflows' },
      { text: 'Topics', link: '/topics' },
      { text: 'Operation', link: '/operations' },
    ],
    footer: { message: `Apache-2.0. For programs: <a href="${base}llms.txt">llms.txt</a>` },
  },
});

/** Long names in code may break behind their parts, so that a table fits where it stands. */
function breakNames(markdown) {
  const plain = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (...given) => {
    const [opening, text] = plain(...given).split(/(?<=^<code[^>]*>)/);
    return `${opening}${text.replace(/(?<=[\w}])[_/](?=[\w{])/g, '$&<wbr>')}`;
  };
}

/** A block of code in Mermaid becomes a diagram. */
function drawDiagrams(markdown) {
  const plain = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, at, ...others) => {
    const { info, content } = tokens[at];
    if (info.trim() !== 'mermaid') return plain(tokens, at, ...others);
    return `<Diagram source="${encodeURIComponent(content)}" />`;
  };
}
