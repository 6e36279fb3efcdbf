# frozen_string_literal: true

require "./examples/webhooks/verify"

$stdin.each_line(chomp: true) do |line|
  keys, timestamp, signature, now, body = line.split("\t", -1)
  headers = [timestamp, signature].map { |value| value.empty? ? nil : value }
  puts Limen.genuine?(body.unpack1("m"), *headers, keys.split(","), now: now.to_i)
end
