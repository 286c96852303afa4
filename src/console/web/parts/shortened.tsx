/** Shortens long names for narrow columns, so that they can still be distinguished. */

/** Names chosen by people are usually short enough. */
const wholeMax = 16;

/** Ids that the server generates differ at their end. */
function shortened(id: string): string {
  return id.length > wholeMax ? `…${id.slice(-8)}` : id;
}

/** The full id is in the tooltip. */
export function ShortId({ id }: { readonly id: string }) {
  return (
    <span title={id} className="font-mono text-xs text-muted">
      {shortened(id)}
    </span>
  );
}

/**
 * A URL without its scheme. If there is too little room, its beginning is cut, as most URLs of a
 * list have the same host. CSS puts the ellipsis at the end of a line, so the line runs from right
 * to left, and its content from left to right.
 */
export function DestinationUrl({ url }: { readonly url: string }) {
  return (
    <span dir="rtl" className="inline-block max-w-full truncate text-left align-bottom">
      <bdi dir="ltr">{url.replace(/^https?:\/\//, '')}</bdi>
    </span>
  );
}
