/** The flow-control keys in memory. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { Messages } from '../messages/message.entity.js';
import type { FlowControlCommand } from './flow-control.commands.js';
import { type FlowControlView, flowControlDecider } from './flow-control.decider.js';
import type { FlowControlEvent } from './flow-control.events.js';
import type { FlowControlState } from './flow-control.state.js';
import { keyNamedBy } from './key-naming.policy.js';
import { KeyUsage } from './key-usage.projection.js';

/** A state of null = the key is unknown and has no limits. */
@Injectable()
export class FlowControls extends Entity<
  FlowControlState,
  FlowControlCommand,
  FlowControlEvent,
  FlowControlView
> {
  constructor(engine: Engine, messages: Messages) {
    const usage = new KeyUsage();
    super(engine, { decider: flowControlDecider, view: usage, folds: [] });
    messages.follow(usage);
    messages.reactTo(keyNamedBy, { types: { MessagePublished: ['flowControl'] } });
  }
}
