import { z } from 'zod';

const splitList = (text: string) => text.split(',').map((part) => part.trim());

/** Tells whether it is an origin as browsers write it. Only apps have schemes of their own, so `app://*` can name all pages of one app. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return !text.includes('*') && URL.parse(text)?.origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/(?:\*|[^\s/*?#]*)$/.test(text);
}

const hostName = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/;

/** The web pages and host names that are let through in addition. Every service reads them, for each of its ports. */
export const callerFields = {
  allowedOrigins: z
    .string()
    .transform(splitList)
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://console.example, or app://*')
    .optional()
    .describe('origins of [web pages](#web-pages) that may call, separated by commas'),
  allowedHosts: z
    .string()
    .transform((text) => splitList(text.toLowerCase()))
    .refine((hosts) => hosts.every((host) => hostName.test(host)), 'must be host names without ports')
    .optional()
    .describe('[names](#web-pages) that callers may use for the service'),
};

export type CallerSettings = { [Field in keyof typeof callerFields]?: z.infer<(typeof callerFields)[Field]> };
