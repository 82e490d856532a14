// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice An account that is a contract, and makes several calls at once. A key's own account may delegate to its code (EIP-7702).
contract BatchAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function execute(Call[] calldata calls) external {
        require(msg.sender == address(this) || msg.sender == owner);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory answer) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) {
                assembly {
                    revert(add(answer, 32), mload(answer))
                }
            }
        }
    }
}
