/** Publishes a message: a new one, or an edited copy of another. */
import type { FormEvent } from 'react';
import { sendText } from '../api/send.ts';
import { useChange } from '../parts/change.ts';
import { Dialog, SubmitRow } from '../parts/dialog.tsx';
import { TextArea, TextField, useFields } from '../parts/field.tsx';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import { bytes as size } from '../time/format.ts';
import { destinationPath } from './destination-path.ts';
import { headersIn } from './options.ts';

/** The initial fields of a message; each can be edited. */
export interface Draft {
  readonly destination: string;
  readonly queue: string;
  readonly body: string;
  /** One `Name: value` per line. */
  readonly headers: string;
}

/** What is sent as the body: the text of its field, or bytes that are not text. */
type Sent = Draft & { readonly bytes: Uint8Array<ArrayBuffer> | null };

/** An empty draft. */
export const noDraft: Draft = { destination: '', queue: '', body: '', headers: '' };

interface PublishProps {
  readonly draft: Draft;
  /** A body that is not text: it is sent unchanged, in place of a typed one. */
  readonly bytes?: Uint8Array<ArrayBuffer> | null;
  readonly close: () => void;
  /** Called with the id of the published message. */
  readonly published: (messageId: string) => void;
}

interface Answer {
  readonly messageId?: string;
}

/** Publishing to a URL group has an answer for each endpoint; the first one is shown. */
async function publish({ destination, queue, body, bytes, headers }: Sent): Promise<string> {
  const route = queue === '' ? '/v2/publish/' : `/v2/enqueue/${encodeURIComponent(queue)}/`;
  const path = destinationPath(route, destination);
  const sent = bytes ?? body;
  const answer = await sendText<Answer | readonly Answer[]>(path, sent, headersIn(headers));
  const [first = {}] = [answer].flat();
  return first.messageId ?? '';
}

/** Stays open, with what was typed, if the server refuses it. */
export function PublishDialog({ draft, bytes = null, close, published }: PublishProps) {
  const { typed, field } = useFields(draft);
  const prefix = useHeaderPrefix();
  const change = useChange(publish, ['message'], published);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ ...typed, destination: typed.destination.trim(), bytes });
  };
  return (
    <Dialog title="Publish a message" close={close}>
      <form onSubmit={submit}>
        <TextField
          label="Destination"
          hint="a URL, or the name of a URL group"
          placeholder="https://example.com/hook"
          required
          {...field('destination')}
        />
        <TextField
          label="Queue"
          hint="without a queue it is delivered at once"
          {...field('queue')}
        />
        {bytes === null ? (
          <TextArea label="Body" {...field('body')} />
        ) : (
          <p className="mb-3">
            The body is sent unchanged: {size(bytes.length)} that are not text.
          </p>
        )}
        <TextArea
          label="Headers"
          hint="options and headers to forward, one per line"
          placeholder={`Content-Type: application/json\n${prefix}Delay: 10s`}
          rows={3}
          {...field('headers')}
        />
        {change.error !== null && <Failure error={change.error} />}
        <SubmitRow disabled={change.isPending} close={close}>
          Publish
        </SubmitRow>
      </form>
    </Dialog>
  );
}
