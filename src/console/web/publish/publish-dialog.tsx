/** Publishes a message: a new one, or one like another, edited. */
import { type FormEvent, useState } from 'react';
import { ApiError, pageHeaders } from '../api/client.ts';
import { Action, Button } from './button.tsx';
import { useChange } from './change.ts';
import { Dialog } from './dialog.tsx';
import { TextArea, TextField } from './field.tsx';

/** What a message begins as; every field may be edited. */
export interface Draft {
  readonly destination: string;
  readonly queue: string;
  readonly body: string;
  /** One `Name: value` in a line. */
  readonly headers: string;
}

export const noDraft: Draft = { destination: '', queue: '', body: '', headers: '' };

interface PublishProps {
  readonly draft: Draft;
  readonly close: () => void;
  /** Is told the id of what was published. */
  readonly published: (messageId: string) => void;
}

/** A destination stands in the path as it is, which typed clients would encode. */
async function publish({ destination, queue, body, headers }: Draft): Promise<string> {
  const path =
    queue === ''
      ? `/v2/publish/${destination}`
      : `/v2/enqueue/${encodeURIComponent(queue)}/${destination}`;
  const lines = headers.split('\n').filter((line) => line.includes(':'));
  const given = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...pageHeaders, ...Object.fromEntries(given) },
    body,
  });
  const answer = await response.json();
  if (!response.ok) throw new ApiError(response.status, answer.error);
  return Array.isArray(answer) ? answer[0]?.messageId : answer.messageId;
}

export function PublishDialog({ draft, close, published }: PublishProps) {
  const [typed, setTyped] = useState(draft);
  const change = useChange(publish, ['message'], published);
  const field = (name: keyof Draft) => ({
    value: typed[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ ...typed, destination: typed.destination.trim() });
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
        <TextField label="Queue" hint="without one it is delivered at once" {...field('queue')} />
        <TextArea label="Body" {...field('body')} />
        <TextArea
          label="Headers"
          hint="options and headers to forward, one in a line"
          placeholder={'Content-Type: application/json\nSvc-Delay: 10s'}
          rows={3}
          {...field('headers')}
        />
        {change.error !== null && (
          <p role="alert" className="mb-3 text-bad">
            {change.error.message}
          </p>
        )}
        <div className="flex gap-2">
          <Action type="submit" look="main" disabled={change.isPending}>
            Publish
          </Action>
          <Button onClick={close}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
