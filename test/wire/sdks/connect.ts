import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Target } from './call.ts';

/* The official clients, pointed at a target. None of them tries again unless told to. */

export function connectOpenai({ baseUrl, headers, timeoutMs, maxRetries = 0 }: Target): OpenAI {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return new OpenAI({
    baseURL: `${baseUrl}/v1`,
    apiKey: 'sk-test',
    maxRetries,
    defaultHeaders: headers,
    ...timeout,
  });
}

export function connectAnthropic({ baseUrl, headers, timeoutMs, maxRetries = 0 }: Target): Anthropic {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return new Anthropic({
    baseURL: baseUrl,
    apiKey: 'sk-ant-test',
    maxRetries,
    defaultHeaders: headers,
    ...timeout,
  });
}

export function connectGemini({ baseUrl, headers, timeoutMs, maxRetries = 0 }: Target): GoogleGenAI {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const retries = maxRetries === 0 ? {} : { retryOptions: { attempts: maxRetries + 1 } };
  const httpOptions = { baseUrl, headers, apiVersion: 'v1beta', ...timeout, ...retries };
  return new GoogleGenAI({ apiKey: 'test', httpOptions });
}
