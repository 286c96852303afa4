/** Actions on a message: start its attempt now or later, cancel it, publish one like it. */
import { useNavigate } from '@tanstack/react-router';
import { Ban, Clock, FastForward, RotateCcw, Send } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { DangerAction } from '../asking/danger-action.tsx';
import { isHidden } from '../bodies/body-words.ts';
import { bytesIn } from '../bodies/bytes.ts';
import { Action } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Failure, useHeaderPrefix } from '../parts/states.tsx';
import { linesOf } from '../publish/options.ts';
import { PublishDialog } from '../publish/publish-dialog.tsx';
import { messageOptions } from './as-curl.ts';
import { DelayDialog } from './delay-dialog.tsx';
import { hasEnded, type Message, useLetterGone } from './load-message.ts';

const icon = 'size-4';

export function MessageActions({ message }: { readonly message: Message }) {
  const [open, setOpen] = useState<'delay' | 'resend' | null>(null);
  const close = () => setOpen(null);
  const navigate = useNavigate();
  const mayResend = !isHidden(message);
  const { messageId, dlqId } = message;
  return (
    <>
      {!hasEnded(message) && <PendingActions message={message} delay={() => setOpen('delay')} />}
      {dlqId !== undefined && <Retry messageId={messageId} dlqId={dlqId} />}
      <Action
        icon={<Send className={icon} />}
        disabled={!mayResend}
        title={mayResend ? undefined : 'its body is not shown, and would be lost'}
        onClick={() => setOpen('resend')}
      >
        Resend…
      </Action>
      {open === 'delay' && <DelayDialog message={message} close={close} />}
      {open === 'resend' && (
        <Resend
          message={message}
          close={close}
          published={(id) => {
            close();
            navigate({ to: `/messages/${id}` });
          }}
        />
      )}
    </>
  );
}

/** A failed message has a dead letter, which becomes a new message; a copy would leave it. */
function Retry({ messageId, dlqId: id }: { readonly messageId: string; readonly dlqId: string }) {
  const navigate = useNavigate();
  const forget = useLetterGone(messageId);
  const retry = useChange(
    () => ask(api.POST('/v2/dlq/retry/{id}', { params: { path: { id } } })),
    ['message', 'dlq'],
    (made) => {
      forget();
      navigate({ to: `/messages/${made.messageId}` });
    },
  );
  return (
    <>
      {retry.error !== null && <Failure error={retry.error} />}
      <Action
        icon={<RotateCcw className={icon} />}
        title="Its dead letter becomes a new message"
        disabled={retry.isPending}
        onClick={() => retry.mutate(undefined)}
      >
        Retry
      </Action>
    </>
  );
}

function PendingActions({
  message: { messageId: id, state, method, url },
  delay,
}: {
  readonly message: Message;
  readonly delay: () => void;
}) {
  const params = { path: { id } };
  const deliver = useChange(
    () => ask(api.POST('/v2/messages/{id}/deliver', { params })),
    ['message'],
  );
  const isActive = state === 'ACTIVE';
  const why = isActive ? 'its attempt is in flight' : undefined;
  return (
    <>
      {deliver.error !== null && <Failure error={deliver.error} />}
      <Action
        icon={<FastForward className={icon} />}
        disabled={isActive || deliver.isPending}
        title={why ?? 'its next attempt starts as soon as its limits allow'}
        onClick={() => deliver.mutate(undefined)}
      >
        Deliver now
      </Action>
      <Action icon={<Clock className={icon} />} disabled={isActive} title={why} onClick={delay}>
        Change delay…
      </Action>
      <DangerAction
        icon={<Ban className={icon} />}
        question={`Cancel the message ${method} ${url}?`}
        means="It is not delivered any more. An attempt in flight is not cut, and not repeated."
        confirm="Cancel the message"
        act={() => ask(api.DELETE('/v2/messages/{id}', { params }))}
        kinds={['message']}
      >
        Cancel…
      </DangerAction>
    </>
  );
}

function Resend({
  message,
  close,
  published,
}: {
  readonly message: Message;
  readonly close: () => void;
  readonly published: (id: string) => void;
}) {
  const prefix = useHeaderPrefix();
  const draft = {
    destination: message.url,
    queue: message.queueName ?? '',
    body: message.body ?? '',
    headers: linesOf(messageOptions(message, prefix)),
  };
  const { bodyBase64 } = message;
  const bytes = bodyBase64 === undefined ? null : bytesIn(bodyBase64);
  return <PublishDialog draft={draft} bytes={bytes} close={close} published={published} />;
}
