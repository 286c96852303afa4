/** `/admin/credentials`: the credentials of the log interface besides the configured pair. */
import { Controller, Delete, Get, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { type Identifiers, newSecret } from '../../engine/identifiers.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { BasicCredentials, pairDigest } from '../../http/identity/basic-auth.js';
import { By } from '../../http/identity/callers.js';
import { refuseIf, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { success } from '../../http/success.js';
import type { RestCredentialCommand } from './rest-credential.commands.js';
import { RestCredentials } from './rest-credential.entity.js';
import { restCredentialKind } from './rest-credential.events.js';
import { type CredentialRequest, parseCredential } from './rest-credential.request.js';
import { restCredentialRoutes } from './rest-credentials.openapi.js';

/** The shown fields of a credential; the password is shown only in the answer to its creation. */
type CredentialObject = CredentialRequest & { readonly username: string };

/** The user of the configuration, whose name no created credential may take. */
interface ConfiguredUser {
  readonly restUsername: string;
}

/**
 * All routes require the right to administer. A password is shown only once, in the answer to its
 * creation.
 */
@Controller('admin/credentials')
export class RestCredentialsController {
  constructor(
    private readonly credentials: RestCredentials,
    private readonly basic: BasicCredentials,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
    @Inject(provided.credentials) private readonly configured: ConfiguredUser,
  ) {}

  @Post()
  @Describe(restCredentialRoutes.create)
  async create(
    @By() by: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CredentialObject & { password: string }> {
    this.basic.require(request.raw, 'administer');
    const { name, topic, permissions } = valueIn(parseCredential(rawBody(request)));
    if (name === this.configured.restUsername) {
      refuseIf(new Refusal('conflict', `${name} is the configured username`));
    }
    const password = newSecret(this.identifiers);
    const digest = pairDigest(name, password).toString('hex');
    const create = { ...this.address(name), digest, topic, permissions };
    await this.carryOut(by, { type: 'CreateRestCredential', ...create });
    return { name, username: name, password, topic, permissions };
  }

  @Get()
  @Describe(restCredentialRoutes.list)
  async list(
    @Req() request: FastifyRequest,
  ): Promise<readonly (CredentialObject & { createdAt: number })[]> {
    this.basic.require(request.raw, 'administer');
    return this.credentials.shown(() =>
      [...this.credentials.actors.ids()].sort().flatMap((name) => {
        const state = this.credentials.stateOf(name);
        if (state === null) return [];
        const { topic, permissions, createdAt } = state;
        return [{ name, username: name, topic, permissions, createdAt }];
      }),
    );
  }

  @Delete(':name')
  @Describe(restCredentialRoutes.remove)
  async remove(@By() by: Caller, @Req() request: FastifyRequest, @Param('name') name: string) {
    this.basic.require(request.raw, 'administer');
    await this.carryOut(by, { type: 'DeleteRestCredential', ...this.address(name) });
    return success;
  }

  private address(id: string) {
    return { kind: restCredentialKind, id, at: this.clock.now() };
  }

  private async carryOut(by: Caller, command: RestCredentialCommand): Promise<void> {
    valueIn(await this.credentials.ask(command, by));
  }
}
