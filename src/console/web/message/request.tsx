/** The request of a message: its options, its body, and the command that repeats it. */
import { AnyBody } from '../bodies/body.tsx';
import { Code } from '../parts/code.tsx';
import { Facts } from '../parts/facts.tsx';
import { labelsText } from '../parts/labels.ts';
import { Panel } from '../parts/page.tsx';
import { useCurl, useHeaderPrefix } from '../parts/states.tsx';
import { JournalLink } from '../past/journal-link.tsx';
import { exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { curlWords, pathOf } from './as-curl.ts';
import type { Message } from './load-message.ts';
import { SignatureCheck } from './signature-check.tsx';

export function RequestPanel({ message }: { readonly message: Message }) {
  const curl = useCurl();
  const prefix = useHeaderPrefix();
  const { createdAt, notBefore, callback, failureCallback } = message;
  return (
    <Panel title="Request" aside={<SignatureCheck message={message} />}>
      <Facts
        of={{
          Published: (
            <>
              {exact(createdAt)} (<Time at={createdAt} />)
            </>
          ),
          'Not before': notBefore > createdAt ? exact(notBefore) : undefined,
          Retries: message.maxRetries,
          Labels: labelsText(message),
          Queue: message.queueName,
          'URL group': message.topicName,
          Schedule: message.scheduleId,
          'Flow-control key': message.flowControlKey,
          Callback: callback,
          'Failure callback': failureCallback,
          'Caller address': message.callerIp,
          'Dead letter': message.dlqId,
          'In the journal': <JournalLink stream={`message/${message.messageId}`} />,
        }}
      />
      <div className="grid gap-3 p-3 pt-0">
        <AnyBody text={message.body} base64={message.bodyBase64} />
        <Code text={curl(pathOf(message), ...curlWords(message, prefix))} />
      </div>
    </Panel>
  );
}
