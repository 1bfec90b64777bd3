"""Mail, as it is sent and as Outlook keeps it: head, body, and attachments as documents of their own."""
