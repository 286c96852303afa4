/** `/admin/backup`: the server makes a backup of itself (administration.md 3). */
import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/principal/principal.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { By } from '../../http/identity/callers.js';
import { answerIn, valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { parseBackupRequest } from './backup.request.js';
import { BackupJobs, type BackupStatus } from './backup-jobs.js';
import { backupRoutes } from './backups.openapi.js';

/**
 * Reading the status needs the right to inspect. Starting a backup needs the right to administer,
 * as a backup holds everything.
 */
@Controller('admin/backup')
export class BackupsController {
  constructor(
    private readonly jobs: BackupJobs,
    private readonly basic: BasicCredentials,
  ) {}

  @Get()
  @Describe(backupRoutes.show)
  show(@Req() request: FastifyRequest): BackupStatus {
    this.basic.require(request.raw, 'inspect');
    return this.jobs.status;
  }

  @Post()
  @HttpCode(202)
  @Describe(backupRoutes.begin)
  async begin(@Req() request: FastifyRequest, @By() by: Caller): Promise<BackupStatus> {
    this.basic.require(request.raw, 'administer');
    const name = valueIn(parseBackupRequest(rawBody(request)));
    return answerIn(await this.jobs.begin(name, by));
  }
}
