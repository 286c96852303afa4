/** Shows bodies of messages, answers and records in a readable form. */
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/code.tsx';
import { count, bytes as size } from '../time/format.ts';
import { bodyFiles, isPasted } from './body-words.ts';
import { bytesIn, hexLines } from './bytes.ts';
import { indented } from './indented.ts';
import { saveFile } from './save.ts';

/** How much of a longer text is drawn: a browser needs seconds to draw all of it. */
const shownMax = 100_000;
const shownBytesMax = 1024;

/** Shows JSON indented, anything else unchanged. The copy button always copies the original. */
export function Body({ text }: { readonly text: string }) {
  const shown = useMemo(() => shownOf(text), [text]);
  const isCut = text.length > shownMax;
  const hasControls = useMemo(() => !isPasted(text), [text]);
  return (
    <div className="grid min-w-0 gap-1.5">
      <Code text={shown} copied={text} />
      {(isCut || hasControls) && (
        <Rest save={() => saveFile(new Blob([text], { type: 'text/plain' }), bodyFiles.text)}>
          {isCut && `The first ${count(shownMax)} of ${count(text.length)} characters. `}
          {hasControls && 'It has control characters, which are not shown.'}
        </Rest>
      )}
    </div>
  );
}

function shownOf(text: string): string {
  return text.length > shownMax ? text.slice(0, shownMax) : (indented(text) ?? text);
}

/** Shows a body that is not text, from its Base64. */
function BytesBody({ base64 }: { readonly base64: string }) {
  const bytes = useMemo(() => bytesIn(base64), [base64]);
  return (
    <div className="grid min-w-0 gap-1.5">
      <Code text={hexLines(bytes.subarray(0, shownBytesMax))} />
      <Rest save={() => saveFile(new Blob([bytes]), bodyFiles.bytes)}>
        {bytes.length > shownBytesMax ? `The first ${count(shownBytesMax)} of ` : ''}
        {size(bytes.length)} that are not text.
      </Rest>
    </div>
  );
}

/** Shows a body as in the API, text or bytes; nothing if it is absent. */
export function AnyBody({
  text,
  base64,
}: {
  readonly text: string | undefined;
  readonly base64: string | undefined;
}) {
  if (base64 !== undefined && base64 !== '') return <BytesBody base64={base64} />;
  return text === undefined || text === '' ? null : <Body text={text} />;
}

function Rest({
  save,
  children,
}: {
  readonly save: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <p className="flex flex-wrap items-center gap-3 text-muted">
      <span>{children}</span>
      <Button isSmall icon={<Download className="size-3.5" />} onClick={save}>
        Save all
      </Button>
    </p>
  );
}
