/** What failures have in common: the same error with other numbers is one class. Pure. */

const classCharactersMax = 200;
/** Before what varies is taken out: a long answer is not searched. */
const readCharactersMax = 1000;

/** Ids and numbers become `#`; only the first line counts, without blanks around it. */
export function errorClass(text: string): string {
  const [line = ''] = text
    .slice(0, readCharactersMax)
    .trimStart()
    .split(/[\r\n]/, 1);
  return line
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\b(?=[a-z_]*\d)[a-z0-9]*_[a-z0-9]{6,}\b/gi, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '#')
    .replace(/\d+/g, '#')
    .slice(0, classCharactersMax)
    .trimEnd();
}
