/** Text in code style: commands to copy, bodies, headers. */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { after } from '../time/clock.ts';

/** Copies a text, and confirms that. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  // Browsers offer the clipboard only to pages from this machine or over https.
  if (!window.isSecureContext) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    after(1500, () => setCopied(false));
  };
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
      className="rounded p-1 text-muted hover:bg-raised hover:text-ink"
    >
      {isCopied ? <Check className="size-3.5" /> : <Copy className="size-3.5" />}
    </button>
  );
}

/** A preformatted text that can be copied; `copied` is copied instead, if given. */
export function Code({ text, copied = text }: { readonly text: string; readonly copied?: string }) {
  return (
    <div className="relative min-w-0 rounded-md border border-line bg-raised text-left">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <pre tabIndex={0} className="max-h-96 overflow-auto p-3 pr-10 font-mono text-xs">
        {text}
      </pre>
      {/* Long lines run below the button. */}
      <div className="absolute top-1.5 right-1.5 rounded bg-raised">
        <CopyButton text={copied} />
      </div>
    </div>
  );
}
