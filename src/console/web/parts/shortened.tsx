/** Long names in narrow columns, so that they can still be distinguished. */

/** Names of people's own are short enough as they are. */
const wholeMax = 16;

/** Ids that the server makes differ at their end. */
function shortened(id: string): string {
  return id.length > wholeMax ? `…${id.slice(-8)}` : id;
}

/** The whole id stands in its title. */
export function ShortId({ id }: { readonly id: string }) {
  return (
    <span title={id} className="font-mono text-xs text-muted">
      {shortened(id)}
    </span>
  );
}

/**
 * A URL without its scheme. Where there is no room it loses its beginning: most of a list go to
 * one host. An ellipsis stands where a line ends, and so the line runs from right to left, and what
 * is in it does not.
 */
export function DestinationUrl({ url }: { readonly url: string }) {
  return (
    <span dir="rtl" className="inline-block max-w-full truncate text-left align-bottom">
      <bdi dir="ltr">{url.replace(/^https?:\/\//, '')}</bdi>
    </span>
  );
}
