/** Text of the document with its markup: paragraphs, `code` and **emphasis**. */
import { Fragment } from 'react';

export function Prose({ text }: { readonly text: string }) {
  return text.split('\n\n').map((paragraph) => (
    <p key={paragraph} className="max-w-3xl text-muted wrap-anywhere not-last:mb-2">
      {paragraph.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <Fragment key={index}>{marked(part)}</Fragment>
      ))}
    </p>
  ));
}

function marked(part: string) {
  if (part.startsWith('`'))
    return <code className="font-mono text-xs text-ink">{part.slice(1, -1)}</code>;
  if (part.startsWith('**')) return <strong className="text-ink">{part.slice(2, -2)}</strong>;
  return part;
}
