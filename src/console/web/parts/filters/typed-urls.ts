/** What a filter by URL means. Pure. */

/** The URLs that a typed one may be: lists show URLs without their scheme. */
export function typedUrls(typed: string): string[] {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(typed);
  return hasScheme ? [typed] : [`https://${typed}`, `http://${typed}`];
}
