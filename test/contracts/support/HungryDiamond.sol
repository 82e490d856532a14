// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Answers every call with the bytes that it was told, but runs out of gas when it gets less than it needs.
contract HungryDiamond {
    uint256 internal immutable need;
    bytes internal answer;

    constructor(uint256 need_, bytes memory answer_) {
        (need, answer) = (need_, answer_);
    }

    fallback() external {
        if (gasleft() < need) {
            assembly {
                invalid()
            }
        }
        bytes memory data = answer;
        assembly {
            return(add(data, 0x20), mload(data))
        }
    }
}
