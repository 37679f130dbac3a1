import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Target } from './call.ts';

/* The official clients, pointed at a target. None of them tries again by itself. */

export function connectOpenai({ baseUrl, headers, timeoutMs }: Target): OpenAI {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return new OpenAI({
    baseURL: `${baseUrl}/v1`,
    apiKey: 'sk-test',
    maxRetries: 0,
    defaultHeaders: headers,
    ...timeout,
  });
}

export function connectAnthropic({ baseUrl, headers, timeoutMs }: Target): Anthropic {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return new Anthropic({
    baseURL: baseUrl,
    apiKey: 'sk-ant-test',
    maxRetries: 0,
    defaultHeaders: headers,
    ...timeout,
  });
}

export function connectGemini({ baseUrl, headers, timeoutMs }: Target): GoogleGenAI {
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  return new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl, headers, apiVersion: 'v1beta', ...timeout } });
}
