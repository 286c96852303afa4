/** What a header may be called and may say (RFC 9110, 5.1 and 5.5). Pure. */

const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether `text` is a token. */
export function isHeaderName(text: string): boolean {
  return fieldName.test(text);
}

/** Whether `text` has visible characters, blanks and bytes above ASCII only: no line break. */
export function isHeaderValue(text: string): boolean {
  return fieldValue.test(text);
}

/** `retry-delay` as `Retry-Delay`. */
export function titleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
