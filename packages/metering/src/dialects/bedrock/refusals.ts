import type { ToldRefusal } from '../operation.ts';

/** What an AWS SDK takes a refusal for. */
interface Kind {
  status: number;
  name: string;
}

/** Budgets that are used up: SDKs send any 429 again, and this not. */
const usedUp: Kind = { status: 400, name: 'ServiceQuotaExceededException' };

const byCode: Readonly<Record<string, Kind>> = {
  agent_budget_exceeded: usedUp,
  global_budget_exceeded: usedUp,
  budget_exceeded: usedUp,
};

/** The names of https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html, by the HTTP status that stands for each. */
const byStatus: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  409: 'ConflictException',
  429: 'ThrottlingException',
  501: 'ValidationException',
  503: 'ServiceUnavailableException',
  504: 'ModelTimeoutException',
};

function kindOf({ code, status }: ToldRefusal): Kind {
  const name = byStatus[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException');
  return byCode[code] ?? { status, name };
}

export const formatRefusal = ({ message }: ToldRefusal): string => JSON.stringify({ message });

/** Status and headers by which AWS' SDKs raise their own exceptions, and send again what passes soon. */
export function describeRefusal(refusal: ToldRefusal) {
  const { status, name } = kindOf(refusal);
  return { status, headers: { 'x-amzn-errortype': name } };
}
