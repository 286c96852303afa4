/** `/v2/dlq/groups`: dead letters by what went wrong (messaging.md 10). */
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { valueIn } from '../../http/outcome.js';
import { readFilters } from '../../http/query-filters.js';
import { Describe } from '../../http/routes/route-description.js';
import { DeadLetterGroups, type LetterGroups } from './letter-groups.js';
import { groupsRoute } from './letter-groups.openapi.js';
import { groupFilters } from './letter-groups.request.js';

/**
 * 400 for filters that are not understood; what is not looked at in one request goes on at its
 * cursor.
 */
@Controller('v2/dlq/groups')
export class LetterGroupsController {
  constructor(private readonly groups: DeadLetterGroups) {}

  @Get()
  @Describe(groupsRoute)
  list(@Req() { url }: FastifyRequest): Promise<LetterGroups> {
    return this.groups.groups(valueIn(readFilters(url, groupFilters)));
  }
}
