// SPDX-License-Identifier: Apache-2.0
/** What the local server does around the gateway: the page, a line per request, and what the request cost. */
import type { GatewayAnswer, GatewayHandler, GatewayRequest } from './gateway/exchange';
import { createPageHandler } from './page/serve-page';
import type { RequestCost, RequestMeter } from './request-meter';

export interface LocalHandlerDependencies {
  readonly gateway: GatewayHandler;
  readonly meter: RequestMeter;
  readonly log: (line: string) => void;
}

/** Holds a `RequestCost` as JSON. Only the local stack sends it. */
export const COST_HEADER = 'X-Local-Cost';

export function createLocalHandler({ gateway, meter, log }: LocalHandlerDependencies): GatewayHandler {
  const page = createPageHandler();
  return async (request) => {
    const pageAnswer = page(request);
    if (pageAnswer !== undefined) return pageAnswer;
    const measurement = meter.begin();
    let cost: RequestCost | undefined;
    try {
      const answer = await gateway(request);
      cost = measurement.end();
      log(describe(request, answer, cost));
      return { ...answer, headers: [...answer.headers, [COST_HEADER, JSON.stringify(cost)]] };
    } finally {
      if (cost === undefined) measurement.end();
    }
  };
}

/** Without the query and the headers: neither has a place in a log. */
function describe({ method, path }: GatewayRequest, { statusCode }: GatewayAnswer, cost: RequestCost): string {
  const invoked = cost.invoked.length === 0 ? 'no function invoked' : cost.invoked.join(', ');
  const overlap = cost.hasOverlapped ? ' (other requests at the same time)' : '';
  const units = cost.isMeasured ? `  ${cost.readUnits} read, ${cost.writeUnits} written${overlap}` : '';
  return `${method} ${path} ${statusCode}  ${invoked}${units}`;
}
