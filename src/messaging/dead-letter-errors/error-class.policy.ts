/** Classifies errors: the same error with other numbers is in the same class. Pure. */

const classCharactersMax = 200;
/** Only this much of a long text is read before its variable parts are replaced. */
const readCharactersMax = 1000;

/** The class of an error: its first line, trimmed, with ids and numbers replaced by `#`. */
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
