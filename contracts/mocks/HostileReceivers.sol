// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Refuses coins.
contract RevertingReceiver {
    error Refused();

    receive() external payable {
        revert Refused();
    }
}

/// @notice Refuses coins with a reason of 100 kB.
contract BombReceiver {
    receive() external payable {
        assembly {
            revert(0, 100000)
        }
    }
}

/// @notice Burns all of its gas.
contract GreedyReceiver {
    receive() external payable {
        assembly {
            invalid()
        }
    }
}

/// @notice Calls back when it is paid, and stores the outcome.
contract ReentrantReceiver {
    address public target;
    bytes public payload;
    bool public reentered;
    bytes public answer;

    /// @notice Sets the call that it makes when coins arrive.
    function arm(address target_, bytes calldata payload_) external {
        target = target_;
        payload = payload_;
    }

    receive() external payable {
        (reentered, answer) = target.call(payload);
    }
}

/// @notice Sends received coins back to the sender, by a call that can be refused.
contract ReturningReceiver {
    bool public accepted;

    receive() external payable {
        (accepted,) = msg.sender.call{value: msg.value}("");
    }
}
