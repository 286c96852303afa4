/**
 * Rewrites the links of a document for its place on the site. Links to other documents become links
 * to their pages; links to other files of the repository become links to copies of them, as the
 * sources have no known public address.
 */
import { posix } from 'node:path';

const { dirname, join, relative } = posix;
const fence = /^(?:```|~~~)[\s\S]*?^(?:```|~~~)[ \t]*$/gm;
const link = /(!?)(\[(?:[^[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)/g;

/** The fragment of an address for a heading: lower case, without punctuation. */
export function slugOf(heading) {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replace(/\s/g, '-');
}

/** The fragments for all headings of a document; a repeated one gets a number. */
export function slugsOf(text) {
  const seen = new Map();
  const headings = [...text.replace(fence, '').matchAll(/^#{1,6} (.+)$/gm)];
  return headings.map(([, heading]) => {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/**
 * A document with the links that the site needs. `pageOf` maps the path of a document in the
 * repository to its place on the site, or undefined; `fileOf` maps another file to the address of
 * its copy, or undefined if there is none. Returns the text, the linked documents with the
 * fragments that must exist, and the dead links.
 */
export function relinked({ path, text, pageOf, fileOf }) {
  const wanted = [];
  const dead = [];
  const place = pageOf(path);
  const rewrite = (whole, bang, label, target) => {
    if (/^[a-z]+:/i.test(target)) return whole;
    const [file, part] = target.split('#');
    const aim = file === '' ? path : join(dirname(path), file).replace(/\/$/, '');
    const page = pageOf(aim) ?? pageOf(`${aim}/README.md`);
    const address = page === undefined ? fileOf(aim) : addressOf(place, page);
    if (address === undefined) {
      dead.push(target);
      return whole;
    }
    if (page !== undefined) wanted.push({ page, part, target });
    const shown = file === '' ? '' : address;
    return `${bang}${label}(${shown}${part === undefined ? '' : `#${part}`})`;
  };
  return { text: outsideOfCode(text, (prose) => prose.replace(link, rewrite)), wanted, dead };
}

function addressOf(from, to) {
  const address = relative(dirname(from), to);
  return address.startsWith('.') ? address : `./${address}`;
}

function outsideOfCode(text, change) {
  const blocks = text.match(fence) ?? [];
  return text
    .split(fence)
    .map((prose, at) => change(prose) + (blocks[at] ?? ''))
    .join('');
}
