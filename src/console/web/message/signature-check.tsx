/**
 * Checks whether a signature that a receiver got belongs to this message, and shows what does not
 * match.
 */
import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, ask } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { State } from '../parts/state-mark.tsx';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import { now } from '../time/clock.ts';
import type { Message } from './load-message.ts';
import { bodyOf, checksOf } from './signature.ts';

export function SignatureCheck({ message }: { readonly message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const mayRead = useMay('admin');
  // Browsers offer cryptography only to pages from this machine or over https.
  const why = !mayRead
    ? 'Not available: only the role admin can read the signing keys'
    : window.isSecureContext
      ? undefined
      : 'No: the browser checks signatures for https and for this machine only';
  return (
    <>
      <Button
        isSmall
        icon={<ShieldCheck className="size-3.5" />}
        disabled={why !== undefined}
        title={why}
        onClick={() => setOpen(true)}
      >
        Check a signature…
      </Button>
      {isOpen && <CheckDialog message={message} close={() => setOpen(false)} />}
    </>
  );
}

function CheckDialog({
  message,
  close,
}: {
  readonly message: Message;
  readonly close: () => void;
}) {
  const prefix = useHeaderPrefix();
  const check = useMutation({
    mutationFn: async (token: string) => {
      const keys = await ask(api.GET('/v2/keys'));
      return checksOf(token, { ...keys, url: message.url, body: bodyOf(message), now: now() });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    check.mutate(String(new FormData(event.currentTarget).get('token')));
  };
  return (
    <Dialog title="Check a signature" close={close}>
      <form onSubmit={submit}>
        <p className="mb-3 text-muted">
          Each attempt has a new signature. Paste what the destination received, to compare it with
          the keys of this server, and against the URL and the body of this message.
        </p>
        <TextArea label={`${prefix}Signature`} hint="the header's value" name="token" required />
        {check.error !== null && <Failure error={check.error} />}
        <ul className="mb-3" aria-live="polite">
          {check.data?.map(({ says, isGood }) => (
            <li key={says}>
              <State of={isGood ? 'ON' : 'DAMAGED'} word={says} />
            </li>
          ))}
        </ul>
        <div className="flex gap-2">
          <Button type="submit" look="main" disabled={check.isPending}>
            Check
          </Button>
          <Button onClick={close}>Close</Button>
        </div>
      </form>
    </Dialog>
  );
}
