using System;

public static class Drive
{
    public static void Main()
    {
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] fields = line.Split('\t');
            string timestamp = fields[1] == "" ? null : fields[1];
            string signature = fields[2] == "" ? null : fields[2];
            byte[] body = Convert.FromBase64String(fields[4]);
            bool isGenuine = Verify.IsGenuine(body, timestamp, signature, fields[0].Split(','), long.Parse(fields[3]));
            Console.WriteLine(isGenuine ? "true" : "false");
        }
    }
}
