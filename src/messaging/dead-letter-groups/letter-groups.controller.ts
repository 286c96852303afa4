/** `/v2/dlq/groups`: dead letters grouped by what went wrong (messaging.md 10). */
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { Describe } from '../../http/routes/route-description.js';
import { DeadLetterGroups, type LetterGroups } from './letter-groups.js';
import { groupsRoute } from './letter-groups.openapi.js';
import { groupFilters } from './letter-groups.request.js';

/** Answers 400 for invalid filters. Letters beyond the limit of a request follow at its cursor. */
@Controller('v2/dlq/groups')
export class LetterGroupsController {
  constructor(private readonly groups: DeadLetterGroups) {}

  @Get()
  @Describe(groupsRoute)
  list(@Req() { url }: FastifyRequest): Promise<LetterGroups> {
    return this.groups.groups(valueIn(readFilters(url, groupFilters)));
  }
}
