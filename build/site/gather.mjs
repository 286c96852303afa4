/**
 * Gathers the documents of the repository as pages of the site: their paths, titles, and text with
 * the links of the site, and the files that they show or link to.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { relinked, slugsOf } from './links.mjs';
import { outline, placeOf } from './outline.mjs';

/**
 * The sections of the sidebar with their pages: `path` in the repository, `place` on the site,
 * `title` in the sidebar, `text` as in the repository. Documents that the outline does not name
 * come last, so that a new document appears on the site.
 */
export function sectionsOf(root) {
  const sections = outline.map(({ text, paths, collapsed }) => ({
    text,
    collapsed,
    pages: paths.flatMap((entry) => pagesOf(root, entry)),
  }));
  const listed = new Set(sections.flatMap(({ pages }) => pages.map(({ path }) => path)));
  const others = documentsBelow(root, 'docs').filter((path) => !listed.has(path));
  if (others.length === 0) return sections;
  return [...sections, { text: 'More', pages: others.map((path) => pageOf(root, path)) }];
}

/** The Markdown files of a folder, without those of the site itself. */
function documentsBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return path === 'docs/site' ? [] : documentsBelow(root, path);
    return path.endsWith('.md') ? [path] : [];
  });
}

function pagesOf(root, entry) {
  const [path, title] = Array.isArray(entry) ? entry : [entry];
  if (!path.endsWith('/*')) return [pageOf(root, path, title)];
  const folder = path.slice(0, -2);
  const names = readdirSync(join(root, folder)).filter((name) => /^\d+-.*\.md$/.test(name));
  return names.sort().map((name) => pageOf(root, `${folder}/${name}`));
}

function pageOf(root, path, title) {
  const text = readFileSync(join(root, path), 'utf8');
  const [, heading = path] = /^# (.+)$/m.exec(text) ?? [];
  return { path, place: placeOf(path), title: title ?? heading, heading, text };
}

/**
 * The pages with the links of the site; `files` maps paths in the repository to the addresses that
 * they must be copied to. Throws one error that names every dead link.
 */
export function gathered(root) {
  const sections = sectionsOf(root);
  const pages = sections.flatMap((section) => section.pages);
  const places = new Map(pages.map(({ path, place }) => [path, place]));
  const parts = new Map(pages.map(({ place, text }) => [place, new Set(slugsOf(text))]));
  const files = new Map();
  const fileOf = (path) => {
    if (!existsSync(join(root, path)) || !statSync(join(root, path)).isFile()) return undefined;
    files.set(path, addressOfFile(path));
    return files.get(path);
  };
  const broken = [];
  const linked = pages.map((page) => {
    const { path, text } = page;
    const written = relinked({ path, text, pageOf: (each) => places.get(each), fileOf });
    const lost = written.wanted.filter(
      ({ page: place, part }) => part !== undefined && !parts.get(place).has(part),
    );
    for (const target of [...written.dead, ...lost.map((each) => each.target)])
      broken.push(`${path}: ${target}`);
    return { ...page, text: written.text };
  });
  if (broken.length > 0) throw new Error(`links that lead nowhere:\n${broken.join('\n')}`);
  return { sections, pages: linked, files };
}

/** Browsers show files with the extension `.txt` as text; pictures keep their name. */
function addressOfFile(path) {
  if (/\.(png|svg)$/.test(path)) return `/${path.replace(/^docs\//, '')}`;
  return `/files/${path}.txt`;
}
